"""FastMCP 4 servers whose handlers were written for FastMCP 2 or 3.

`adapt` imports what stands here only when it is given such a server, so that FastMCP need not be installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from fastmcp import FastMCP


def is_fastmcp(value: object) -> TypeGuard[FastMCP[Any]]:
    """Whether this is a FastMCP server, of whatever version; told by name, without importing it."""
    return any(
        kind.__name__ == "FastMCP" and kind.__module__.partition(".")[0] == "fastmcp"
        for kind in type(value).__mro__
    )
