"""Experimental tasks, which `mcp` 2 has no more: a server that turns them on can't be brought there."""

from __future__ import annotations

import ast

from .file import File
from .names import TASKS

_OWNERS = {"LowLevelServer", "ServerSession", "RequestContext", "MCPContext"}


def fix_tasks(file: File) -> None:
    """Tell of `server.experimental` and `ctx.experimental`."""
    for node in file.nodes:
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "experimental"
            and file.kind(node.value) & _OWNERS
        ):
            file.cannot_move(node, f"`{ast.unparse(node)}` is gone: {TASKS}")
