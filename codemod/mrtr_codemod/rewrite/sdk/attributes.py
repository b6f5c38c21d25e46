"""Attributes of SDK types: snake case now. Told apart by the type of their owner, never by their own name."""

from __future__ import annotations

import ast

from .classes import class_of
from .edits import keyword
from .file import File
from .kinds import Kind
from .models import CAMEL, MODELS, snake

_DUMPS = ("model_dump", "model_dump_json")


def fix_attributes(file: File) -> None:
    """Rename the attributes and keywords of SDK types; tell of those whose owner is not known."""
    for node in file.nodes:
        if isinstance(node, ast.Attribute) and node.attr in CAMEL:
            _attribute(file, node)
        elif isinstance(node, ast.Call):
            _keywords(file, node)
            _by_name(file, node)
            _dump(file, node)


def _is_sdk_field(kind: Kind, name: str) -> bool:
    """Whether a value of this kind is of the SDK, and has such a field."""
    return bool(kind) and any(name in MODELS.get(part, {}) for part in kind)


def _is_other(file: File, owner: ast.expr, name: str) -> bool:
    """Whether the attribute is sure to be of something else: of another library, or of a class of this file."""
    if file.origin(owner) is not None:
        return True
    own = [part for part in file.kind(owner) if part.startswith("class:")]
    return any(name in file.receivers.attributes.get(part, {}) for part in own)


def _attribute(file: File, node: ast.Attribute) -> None:
    kind = file.kind(node.value)
    if kind == {"RequestParams.Meta"}:
        _meta(file, node)
    elif _is_sdk_field(kind, node.attr):
        end = file.edits.end(node)
        file.edits.replace(end - len(node.attr), end, snake(node.attr))
    elif not kind and not _is_other(file, node.value, node.attr):
        shown = ast.unparse(node)
        file.notes.add(node, f"`{shown}`: if this is a type of the SDK, it is `.{snake(node.attr)}` now")


def _meta(file: File, node: ast.Attribute) -> None:
    """`ctx.request_context.meta` is a dict now."""
    if isinstance(node.ctx, ast.Load):
        file.edits.replace(file.edits.end(node.value), file.edits.end(node), f'.get("{snake(node.attr)}")')
    else:
        file.notes.add(node, f"`{ast.unparse(node.value)}` is a dict now: write its key {snake(node.attr)!r}")


def _keywords(file: File, call: ast.Call) -> None:
    """`Tool(inputSchema=...)` and `session.elicit_form(requestedSchema=...)`."""
    built = class_of(file.origin(call.func))
    for given in call.keywords:
        if given.arg is None or given.arg not in CAMEL:
            continue
        asks = isinstance(call.func, ast.Attribute) and call.func.attr in ("elicit", "elicit_form")
        if (built and given.arg in MODELS.get(built, {})) or (
            isinstance(call.func, ast.Attribute) and asks and _is_session(file, call.func.value)
        ):
            start = file.edits.start(given)
            file.edits.replace(start, start + len(given.arg), snake(given.arg))
        elif asks and given.arg == "requestedSchema":
            file.notes.add(given, "if this is a session of the SDK, the keyword is `requested_schema` now")


def _is_session(file: File, owner: ast.expr) -> bool:
    """A session by its type; also `….session` of whatever is called a context."""
    if "ServerSession" in file.kind(owner):
        return True
    return isinstance(owner, ast.Attribute) and owner.attr == "session" and not file.kind(owner)


def _by_name(file: File, call: ast.Call) -> None:
    """`getattr(result, "isError", False)` and `hasattr`."""
    match call:
        case ast.Call(
            func=ast.Name(id="getattr" | "hasattr" | "setattr"),
            args=[owner, ast.Constant(value=str(name)) as text, *_],
        ) if name in CAMEL:
            if _is_sdk_field(file.kind(owner), name):
                start, end = file.edits.start(text), file.edits.end(text)
                file.edits.replace(start, end, file.edits.text[start:end].replace(name, snake(name)))
            elif not file.kind(owner) and not _is_other(file, owner, name):
                told = f"`{ast.unparse(call)}`: if this is a type of the SDK, the name is {snake(name)!r} now"
                file.notes.add(call, told)


def _dump(file: File, call: ast.Call) -> None:
    """Fields are dumped under their new names, unless their aliases are asked for, which are the old ones."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in _DUMPS or keyword(call, "by_alias"):
        return
    kind = file.kind(func.value)
    if kind and all(part in MODELS for part in kind) and not any(k.arg is None for k in call.keywords):
        file.edits.add_arguments(call, ["by_alias=True"])
