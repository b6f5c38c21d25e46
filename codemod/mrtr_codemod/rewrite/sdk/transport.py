"""Transport options moved from the server's constructor to where the server is started."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .edits import keyword
from .file import File
from .settings import settings_moved
from .starts import OPTIONS, STARTS, name_at, server_kind, starts, takes, transport_of


@dataclass
class _Server:
    """One server that was built with transport options."""

    kind: str
    call: ast.Call
    options: list[ast.keyword]


def fix_transport(file: File) -> None:
    """Move the options to each `run` and `*_app()` of the same server. What finds no place is told."""
    added = settings_moved(file)
    for name, server in _built(file).items():
        begun = [c for c in file.calls() if starts(c, name)]
        written = {o.arg or "": file.edits.written(o.value) for o in server.options}
        file.edits.drop_arguments(server.call, list(server.options))
        placed = {o for start in begun for o in _give(server, start, written, added.setdefault(start, {}))}
        # A server that is only ever run over stdio has no use for them.
        stdio = bool(begun) and all(transport_of(s) == "stdio" for s in begun)
        lost = [o for o in server.options if o.arg not in placed and not stdio]
        if lost:
            shown = ", ".join(f"{o.arg}={written[o.arg or '']}" for o in lost)
            told = f"`{name}` was built with {shown}: pass this to its `run` or its `*_app()`, where it is started"
            file.notes.add(server.call, told)
    for start, options in added.items():
        file.edits.add_arguments(start, [f"{name}={value}" for name, value in options.items()])
    for call in file.calls():
        _mount_path(file, call)


def _built(file: File) -> dict[str, _Server]:
    """By the source of the variable or attribute that holds it."""
    found: dict[str, _Server] = {}
    for node in file.nodes:
        match node:
            case ast.Assign(targets=[target], value=ast.Call() as call):
                name = ast.unparse(target)
            case ast.AnnAssign(target=target, value=ast.Call() as call):
                name = ast.unparse(target)
            case ast.Return(value=ast.Call() as call):
                name = "the server"
            case _:
                continue
        kind = server_kind(file.kind(call)) if file.origin(call.func) else None
        options = [k for k in call.keywords if kind and k.arg in OPTIONS[kind]]
        if kind is not None and options:
            found[name] = _Server(kind, call, options)
    return found


def _give(server: _Server, start: ast.Call, written: dict[str, str], added: dict[str, str]) -> list[str]:
    """Add the options that this start takes; the names of those that it has now."""
    placed = []
    for option in server.options:
        name = option.arg or ""
        if takes(start, server.kind, name):
            placed.append(name)
            new = name_at(server.kind, name)
            if keyword(start, new) is None:
                added.setdefault(new, written[name])
    return placed


def _mount_path(file: File, call: ast.Call) -> None:
    """`run(mount_path=...)` and `sse_app(mount_path)`: the application that mounts it says so itself."""
    func = call.func
    if not isinstance(func, ast.Attribute) or "MCPServer" not in file.kind(func.value):
        return
    given: list[ast.expr | ast.keyword] = [k for k in call.keywords if k.arg == "mount_path"]
    if func.attr == "sse_app":
        given += call.args[:1]
    if given and func.attr in STARTS:
        file.edits.drop_arguments(call, given)
