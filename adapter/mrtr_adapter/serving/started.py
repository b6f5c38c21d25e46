"""Files that start their server as soon as they are imported, with no `if __name__ == "__main__"` around it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio

_FRAMEWORKS = {"mcp", "fastmcp"}


class StartsItself(BaseException):
    """Raised in place of a server's own start. No `Exception`, so that the file does not catch it."""


@contextmanager
def starting_forbidden() -> Iterator[None]:
    """Within it, the `run()` of a server raises `StartsItself`. All else may use an event loop."""
    original = anyio.run

    def run(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1)
        package = caller.f_globals.get("__name__", "").partition(".")[0]
        if caller.f_code.co_name == "run" and package in _FRAMEWORKS:
            raise StartsItself
        return original(function, *args, **kwargs)

    anyio.run = run  # type: ignore[assignment]  # takes whatever the original takes
    try:
        yield
    finally:
        anyio.run = original
