"""`mcp.settings.port = port` before a server is run: settings hold no transport options any more."""

from __future__ import annotations

import ast

from .file import File
from .starts import OPTIONS, name_at, server_kind, starts, takes


def settings_moved(file: File) -> dict[ast.Call, dict[str, str]]:
    """The options that each start takes from settings that were assigned right before; these lines are dropped. Other
    uses of such settings are told."""
    moved: dict[ast.Call, dict[str, str]] = {}
    for node in file.nodes:
        match node:
            case ast.Attribute(value=ast.Attribute(value=owner, attr="settings"), attr=option):
                kind = server_kind(file.kind(owner))
            case _:
                continue
        if kind is None or (kind == "MCPServer" and option not in OPTIONS[kind]):
            continue
        start = _start_below(file, node, ast.unparse(owner))
        stmt = file.parents.get(node)
        if start is not None and isinstance(stmt, ast.Assign) and takes(start, kind, option):
            moved.setdefault(start, {})[name_at(kind, option)] = file.edits.written(stmt.value)
            file.edits.replace(*file.edits.lines(stmt), "")
        else:
            told = f"pass `{option}=` to `run` or `*_app()` of the server, where it is started"
            file.notes.add(node, f"`{ast.unparse(node)}` is gone: {told}")
    return moved


def _start_below(file: File, setting: ast.Attribute, server: str) -> ast.Call | None:
    """The only start in the same block, if the assigned value can as well be computed there."""
    stmt = file.parents.get(setting)
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or not _is_plain(stmt.value):
        return None
    block = _block_of(file, stmt)
    below = block[block.index(stmt) + 1 :]
    found = [n for s in below for n in ast.walk(s) if isinstance(n, ast.Call) and starts(n, server)]
    read = {n.id for n in ast.walk(stmt.value) if isinstance(n, ast.Name)}
    changed = {
        n.id for s in below for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return found[0] if len(found) == 1 and not read & changed and len(block) > 1 else None


def _is_plain(value: ast.expr) -> bool:
    return isinstance(value, (ast.Constant, ast.Name)) or (
        isinstance(value, ast.Attribute) and _is_plain(value.value)
    )


def _block_of(file: File, stmt: ast.stmt) -> list[ast.stmt]:
    parent = file.parents[stmt]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, [])
        if isinstance(block, list) and stmt in block:
            return block
    return [stmt]
