"""`streamablehttp_client` made its own HTTP client; `streamable_http_client` is given one, and yields two streams."""

from __future__ import annotations

import ast

from .edits import arguments, keyword
from .file import File

_OLD = "mcp.client.streamable_http.streamablehttp_client"
_BOTH = (_OLD, "mcp.client.streamable_http.streamable_http_client")
_FOR_CLIENT = ("headers", "auth")
_TIMES = ("timeout", "sse_read_timeout")
_DEFAULT_TIMES = {"timeout": "30", "sse_read_timeout": "300"}
_KEPT = ("url", "terminate_on_close")
_ORDER = (
    "url",
    "headers",
    "timeout",
    "sse_read_timeout",
    "terminate_on_close",
    "httpx_client_factory",
    "auth",
)


def fix_clients(file: File) -> None:
    """Move what was for the HTTP client into one that is opened before, and drop the third of the streams."""
    done: set[ast.Call] = set()
    for node in file.nodes:
        if isinstance(node, ast.AsyncWith):
            for item in node.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and file.origin(call.func) in _BOTH:
                    done.add(call)
                    _streams(file, node, item)
                    if file.origin(call.func) == _OLD:
                        _http_client(file, call)
    for call in file.calls():
        if call not in done and file.origin(call.func) in _BOTH:
            told = "it yields two streams now, and takes `http_client=` for headers, times and authorization"
            file.notes.add(call, f"`{ast.unparse(call.func)}`: {told}")


def _streams(file: File, node: ast.AsyncWith, item: ast.withitem) -> None:
    match item.optional_vars:
        case ast.Tuple(elts=[_, second, ast.Name(id=third) as last]):
            if _is_read(file, node, third):
                told = f"`{third}` is gone: read the header `mcp-session-id` in a response hook of the HTTP client"
                file.notes.add(last, told)
            else:
                file.edits.replace(file.edits.end(second), file.edits.end(last), "")
        case ast.Name(id=name) as streams:
            file.notes.add(
                streams, f"`{name}` has two streams now, without the function that gives the session's id"
            )


def _is_read(file: File, node: ast.AsyncWith, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        for s in node.body
        for n in ast.walk(s)
    )


def _http_client(file: File, call: ast.Call) -> None:
    given = {(_ORDER[i] if i < len(_ORDER) else ""): a for i, a in enumerate(call.args)}
    given |= {k.arg or "": k.value for k in call.keywords}
    factory = given.pop("httpx_client_factory", None)
    moved = {n: v for n, v in given.items() if n in (*_FOR_CLIENT, *_TIMES)}
    if not moved and factory is None:
        return
    if "" in given or factory is not None or any(isinstance(v, ast.Starred) for v in given.values()):
        told = "open an `httpx2.AsyncClient` with the headers, times and authorization, and pass it as `http_client=`"
        file.notes.add(call, f"`{ast.unparse(call.func)}`: {told}")
        return
    gone = [a for a in arguments(call) if _name_of(call, a) not in _KEPT]
    name = file.fresh("http_client")
    built = f"{file.named('httpx2.AsyncClient')}({', '.join(_client_options(file, moved))}) as {name}"
    file.edits.insert(file.edits.start(call), f"{built}, ")
    file.edits.drop_arguments(call, gone)
    if keyword(call, "http_client") is None:
        file.edits.add_arguments(call, [f"http_client={name}"])


def _name_of(call: ast.Call, argument: ast.expr | ast.keyword) -> str | None:
    return argument.arg if isinstance(argument, ast.keyword) else _ORDER[call.args.index(argument)]


def _client_options(file: File, moved: dict[str, ast.expr]) -> list[str]:
    found = [f"{n}={file.edits.written(moved[n])}" for n in _FOR_CLIENT if n in moved]
    times = {n: _seconds(file, moved[n]) if n in moved else _DEFAULT_TIMES[n] for n in _TIMES}
    timeout = file.named("httpx2.Timeout")
    return [*found, f"timeout={timeout}({times['timeout']}, read={times['sse_read_timeout']})"]


def _seconds(file: File, value: ast.expr) -> str:
    written = file.edits.written(value)
    is_delta = isinstance(value, ast.Call) and file.origin(value.func) == "datetime.timedelta"
    return f"{written}.total_seconds()" if is_delta else written
