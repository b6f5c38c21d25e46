"""Copies of a module whose servers seal under one key, as the instances of a fleet do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from cases.drive import KEY, load


def instance(path: Path) -> Any:
    module = load(path)
    for server in vars(module).values():
        low = getattr(server, "_lowlevel_server", None) or getattr(server, "_mcp_server", server)
        if isinstance(getattr(low, "middleware", None), list):
            low.middleware[:] = [_sealed(middleware) for middleware in low.middleware]
    return module


def _sealed(middleware: Any) -> Any:
    if not isinstance(middleware, RequestStateBoundary):
        return middleware
    return RequestStateBoundary(RequestStateSecurity(keys=[KEY]), default_audience="case")
