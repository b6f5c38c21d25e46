"""`create_connected_server_and_client_session(server)` of tests is `Client(server)` on the old protocol."""

from __future__ import annotations

import ast

from .file import File

ORIGIN = "mcp.shared.memory.create_connected_server_and_client_session"
_SAME = frozenset(
    [
        "call_tool", "complete", "get_prompt", "list_prompts", "list_resources", "list_resource_templates",
        "list_tools", "read_resource",
    ]
)  # fmt: skip
"""What a client does as the session did."""


def is_moved(file: File) -> bool:
    """Whether all uses in the file can be moved."""
    uses = [c for c in file.calls() if file.origin(c.func) == ORIGIN]
    items = [i for n in file.nodes if isinstance(n, ast.AsyncWith) for i in n.items if i.context_expr in uses]
    return len(items) == len(uses) == _mentions(file) and all(_fits(file, item) for item in items)


def _mentions(file: File) -> int:
    return sum(isinstance(n, ast.Name) and file.origin(n) == ORIGIN for n in file.nodes)


def _fits(file: File, item: ast.withitem) -> bool:
    if not isinstance(item.optional_vars, ast.Name):
        return item.optional_vars is None
    name = item.optional_vars.id
    uses = [n for n in file.nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    parents = [file.parents[n] for n in uses]
    return all(isinstance(p, ast.Attribute) and p.attr in _SAME for p in parents)


def fix_memory(file: File) -> None:
    """Move the calls, if all of them can be moved; the import follows when it has no use any more."""
    if not is_moved(file):
        return
    for call in file.calls():
        if file.origin(call.func) == ORIGIN:
            file.edits.rewrite(call.func, file.named("mcp.Client"))
            file.edits.add_arguments(call, ['mode="legacy"'])
