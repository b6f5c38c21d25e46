"""The unions of messages were models around their members; they are plain unions now."""

from __future__ import annotations

import ast

from .classes import class_of
from .file import File

ADAPTERS = {
    "ClientNotification": "client_notification_adapter",
    "ClientRequest": "client_request_adapter",
    "ClientResult": "client_result_adapter",
    "JSONRPCMessage": "jsonrpc_message_adapter",
    "ServerNotification": "server_notification_adapter",
    "ServerRequest": "server_request_adapter",
    "ServerResult": "server_result_adapter",
}
_VALIDATES = {"model_validate": "validate_python", "model_validate_json": "validate_json"}


def fix_wrappers(file: File) -> None:
    """Unwrap what was built, parse by the adapter, and drop `.root`."""
    for node in file.nodes:
        match node:
            case ast.Call(func=func, args=[inner], keywords=[]) if _union(file, func):
                _keep_inside(file, node, inner)
            case ast.Call(func=func, args=[], keywords=[ast.keyword(arg="root", value=inner)]) if _union(
                file, func
            ):
                _keep_inside(file, node, inner)
            case ast.Attribute(value=union, attr=("model_validate" | "model_validate_json") as method) if (
                name := _union(file, union)
            ):
                adapter = file.type_named(ADAPTERS[name])
                file.edits.rewrite(node, f"{adapter}.{_VALIDATES[method]}")
            case ast.Attribute(value=owner, attr="root") if file.kind(owner) & ADAPTERS.keys():
                file.edits.replace(file.edits.end(owner), file.edits.end(node), "")


def _union(file: File, expr: ast.expr) -> str | None:
    name = class_of(file.origin(expr))
    return name if name in ADAPTERS else None


def _keep_inside(file: File, call: ast.Call, inner: ast.expr) -> None:
    edits = file.edits
    edits.replace(edits.start(call), edits.start(inner), "")
    edits.replace(edits.end(inner), edits.end(call), "")
