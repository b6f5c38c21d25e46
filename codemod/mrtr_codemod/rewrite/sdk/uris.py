"""URIs of resources are plain strings now, where they were pydantic's `AnyUrl`."""

from __future__ import annotations

import ast
import re

from .classes import class_of
from .edits import keyword
from .file import File

_TAKE_URI = frozenset(
    [
        "BlobResourceContents", "ReadResourceRequestParams", "Resource", "ResourceContents", "ResourceLink",
        "ResourceUpdatedNotificationParams", "SubscribeRequestParams", "TextResourceContents",
        "UnsubscribeRequestParams",
    ]
)  # fmt: skip
_METHODS = {
    "ClientSession": ("read_resource", "subscribe_resource", "unsubscribe_resource"),
    "ServerSession": ("send_resource_updated",),
    "MCPContext": ("read_resource",),
}
_PARTS = ("scheme", "host", "port", "path", "query", "fragment", "username", "password", "unicode_string")
_PLAIN = re.compile(r"(?!https?:|wss?:|ftp:)[a-z][a-z0-9+.-]*://(/?[a-z0-9_-][a-zA-Z0-9._-]*)+")
"""What `AnyUrl` leaves as it is written."""


def fix_uris(file: File) -> None:
    """Hand strings to the SDK where its URIs are built, and tell of what reads the parts of one."""
    for call in file.calls():
        if class_of(file.origin(call.func)) in _TAKE_URI:
            given = keyword(call, "uri")
            if given is not None:
                _as_string(file, given.value)
        elif isinstance(call.func, ast.Attribute) and call.args:
            for kind in file.kind(call.func.value) & _METHODS.keys():
                if call.func.attr in _METHODS[kind]:
                    _as_string(file, call.args[0])
    for node in file.nodes:
        match node:
            case ast.Attribute(value=ast.Attribute(value=owner, attr="uri"), attr=part) if (
                part in _PARTS and file.kind(owner) & _TAKE_URI
            ):
                told = "a string now: `pydantic.AnyUrl(...)` or `urllib.parse.urlsplit(...)` takes it apart"
                file.notes.add(node, f"`{ast.unparse(node.value)}` is {told}")


def _as_string(file: File, value: ast.expr) -> None:
    if file.kind(value) != {"Url"}:
        return
    match value:
        case ast.Call(args=[ast.Constant(value=str(text)) as literal], keywords=[]) if _PLAIN.fullmatch(text):
            file.edits.replace(file.edits.start(value), file.edits.start(literal), "")
            file.edits.replace(file.edits.end(literal), file.edits.end(value), "")
        case _:
            file.edits.insert(file.edits.start(value), "str(")
            file.edits.insert(file.edits.end(value), ")")
