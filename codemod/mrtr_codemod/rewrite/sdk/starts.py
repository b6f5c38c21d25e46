"""Where servers are started, and which transport options each start takes."""

from __future__ import annotations

import ast

from .edits import keyword
from .kinds import Kind

_BOTH = ("sse", "http")
OPTIONS = {
    "MCPServer": {
        "host": _BOTH,
        "port": _BOTH,
        "max_request_body_size": _BOTH,
        "transport_security": _BOTH,
        "sse_path": ("sse",),
        "message_path": ("sse",),
        "streamable_http_path": ("http",),
        "json_response": ("http",),
        "stateless_http": ("http",),
        "event_store": ("http",),
        "retry_interval": ("http",),
        "session_idle_timeout": ("http",),
        "max_sessions": ("http",),
        "mount_path": (),
    },
    "FastMCPServer": {
        "host": _BOTH,
        "port": _BOTH,
        "log_level": _BOTH,
        "sse_path": ("sse",),
        "streamable_http_path": ("http",),
        "json_response": ("http",),
        "stateless_http": ("http",),
        "debug": (),
        "message_path": (),
    },
}
"""Options that constructors took, and the transports that take them now; with none, they are gone."""

NEW_NAMES = {"sse_path": "path", "streamable_http_path": "path"}
"""What FastMCP's starters call them."""

_HTTP = {"streamable-http": "http", "http": "http", "sse": "sse", "stdio": "stdio"}
STARTS = {
    "run": None, "run_async": None, "run_stdio_async": "stdio", "run_sse_async": "sse", "sse_app": "sse",
    "run_http_async": "http", "run_streamable_http_async": "http", "http_app": "http", "streamable_http_app": "http",
}  # fmt: skip
"""The methods that start a server, and the transport of each; None: an argument says which."""


def server_kind(kind: Kind) -> str | None:
    """The kind of server that takes transport options."""
    return next((k for k in kind if k in OPTIONS), None)


def starts(call: ast.Call, server: str) -> bool:
    """Whether the call starts what the source `server` names."""
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr in STARTS and ast.unparse(func.value) == server


def transport_of(call: ast.Call) -> str | None:
    """The literal transport of a call that starts a server; `stdio` if it says none, None if it is computed."""
    assert isinstance(call.func, ast.Attribute)
    fixed = STARTS[call.func.attr]
    if fixed is not None:
        return fixed
    given = keyword(call, "transport")
    value = given.value if given is not None else call.args[0] if call.args else None
    if value is None:
        return "stdio" if not any(k.arg is None for k in call.keywords) else None
    return _HTTP.get(str(value.value)) if isinstance(value, ast.Constant) else None


def takes(start: ast.Call, kind: str, option: str) -> bool:
    """Whether this call takes that option."""
    assert isinstance(start.func, ast.Attribute)
    allowed, transport = OPTIONS[kind].get(option, ()), transport_of(start)
    if not (len(allowed) == 2 if transport is None else transport in allowed):
        return False
    # Applications are not bound to an address.
    unbound = ("host", "port", "log_level") if kind == "FastMCPServer" else ("port",)
    return not (start.func.attr.endswith("_app") and option in unbound)


def name_at(kind: str, option: str) -> str:
    """What the start calls the option."""
    return NEW_NAMES.get(option, option) if kind == "FastMCPServer" else option
