"""Modules and options that FastMCP 4 has moved or removed, for files that are to run as they are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from fastmcp import FastMCP

MOVED = {
    "fastmcp.prompts.prompt": "fastmcp.prompts.base",
    "fastmcp.resources.resource": "fastmcp.resources.base",
    "fastmcp.server.auth.authorization": "fastmcp.utilities.authorization",
    "fastmcp.server.openapi": "fastmcp.server.providers.openapi",
    "fastmcp.server.proxy": "fastmcp.server.providers.proxy",
    "fastmcp.server.sampling": "mrtr_adapter.fastmcp.sampling",
    "fastmcp.server.sampling.run": "mrtr_adapter.fastmcp.sampling.result",
    "fastmcp.server.sampling.sampling_tool": "mrtr_adapter.fastmcp.sampling.tool",
    "fastmcp.tools.tool": "fastmcp.tools.base",
}
"""What FastMCP 3.4 could still import, and where that is now."""


def install() -> None:
    """Does nothing the second time."""
    if "fastmcp.server.sampling" in sys.modules:
        return
    for old, new in MOVED.items():
        # Not as an attribute of the package: `fastmcp.tools.tool` is a decorator there.
        sys.modules.setdefault(old, import_module(new))
    FastMCP.__init__ = _with_sampling_handler(FastMCP.__init__)  # type: ignore[method-assign]
    FastMCP.sampling_handler = None  # type: ignore[attr-defined]
    FastMCP.sampling_handler_behavior = "fallback"  # type: ignore[attr-defined]


def _with_sampling_handler(original: Callable[..., None]) -> Callable[..., None]:
    """`FastMCP(sampling_handler=…, sampling_handler_behavior=…)`, which `ctx.sample` looks at."""

    @wraps(original)
    def init(
        self: Any,
        *args: Any,
        sampling_handler: Any = None,
        sampling_handler_behavior: str | None = None,
        **kwargs: Any,
    ) -> None:
        original(self, *args, **kwargs)
        self.sampling_handler = sampling_handler
        self.sampling_handler_behavior = sampling_handler_behavior or "fallback"

    return init
