"""Parameters that moved, were renamed, or take another type now."""

from __future__ import annotations

import ast

from .edits import keyword
from .file import File

_POSITIONAL = {
    "MCPServer": ("name", "instructions", "website_url", "icons", "auth_server_provider", "token_verifier"),
    "LowLevelServer": ("name", "version", "instructions", "website_url", "icons", "lifespan"),
}
"""Constructors whose order changed, with the names of their old positional parameters."""

_RENAMED = {
    "MCPContext": {"message": "data"},
    "ClientSessionGroup": {"args": "arguments"},
}
_LOGS = ("debug", "info", "warning", "error", "log")
_SECONDS = ("read_timeout_seconds", "request_read_timeout_seconds")
_PAGED = ("list_tools", "list_prompts", "list_resources", "list_resource_templates")


def fix_parameters(file: File) -> None:
    """Spell out, rename and convert arguments of calls to the SDK."""
    for call in file.calls():
        _spell_out(file, call)
        _seconds(file, call)
        if isinstance(call.func, ast.Attribute):
            _log(file, call, call.func)
            _page(file, call, call.func)
            _stateless(file, call, call.func)


def _spell_out(file: File, call: ast.Call) -> None:
    """`Server("x", "1.0")` is `Server("x", version="1.0")`: the second parameter is another one now."""
    for kind in file.kind(call) & _POSITIONAL.keys():
        if file.origin(call.func) is None:
            continue
        for place, value in enumerate(call.args[1:], 1):
            if isinstance(value, ast.Starred) or place >= len(_POSITIONAL[kind]):
                file.notes.add(
                    call, f"the positional parameters of `{ast.unparse(call.func)}` changed: name them"
                )
                return
            file.edits.insert(file.edits.start(value), f"{_POSITIONAL[kind][place]}=")


def _seconds(file: File, call: ast.Call) -> None:
    """Timeouts are seconds, not `timedelta`."""
    taken = list(_SECONDS)
    if (file.origin(call.func) or "").endswith(".StreamableHttpParameters"):
        taken += ["timeout", "sse_read_timeout"]
    for name in taken:
        given = keyword(call, name)
        if given is None or not _of_sdk(file, call):
            continue
        if isinstance(given.value, ast.Call) and file.origin(given.value.func) == "datetime.timedelta":
            file.edits.insert(file.edits.end(given.value), ".total_seconds()")
        elif not isinstance(given.value, ast.Constant):
            file.notes.add(given, f"`{name}` takes seconds now: a timedelta has `.total_seconds()`")


def _of_sdk(file: File, call: ast.Call) -> bool:
    origin = file.origin(call.func)
    if origin is not None:
        return origin.startswith("mcp.")
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return bool(file.kind(owner) & {"ClientSession", "ServerSession"})


def _log(file: File, call: ast.Call, func: ast.Attribute) -> None:
    """`ctx.info(message=...)` is `ctx.info(data=...)`."""
    given = keyword(call, "message")
    if given is not None and func.attr in _LOGS and "MCPContext" in file.kind(func.value):
        start = file.edits.start(given)
        file.edits.replace(start, start + len("message"), "data")


def _page(file: File, call: ast.Call, func: ast.Attribute) -> None:
    """`session.list_tools(cursor=c)` is `session.list_tools(params=PaginatedRequestParams(cursor=c))`."""
    if func.attr not in _PAGED or "ClientSession" not in file.kind(func.value):
        return
    given = call.args[0] if call.args else keyword(call, "cursor")
    if given is None or len(call.args) + len(call.keywords) != 1:
        return
    value = given.value if isinstance(given, ast.keyword) else given
    if isinstance(value, (ast.Starred, ast.Dict)) or (
        isinstance(given, ast.keyword) and given.arg != "cursor"
    ):
        return
    params = file.type_named("PaginatedRequestParams")
    file.edits.replace(file.edits.start(given), file.edits.start(value), f"params={params}(cursor=")
    file.edits.insert(file.edits.end(value), ")")


def _stateless(file: File, call: ast.Call, func: ast.Attribute) -> None:
    """`server.run(..., stateless=True)` lost its flag: the transport decides."""
    given = keyword(call, "stateless")
    if given is not None and func.attr == "run" and "LowLevelServer" in file.kind(func.value):
        file.edits.drop_arguments(call, [given])
