"""The classes that an annotation names: `"Context[S, L] | None"` names `Context`."""

from __future__ import annotations

import ast

from mrtr_codemod.names.reference import Ref, lower

CLIENT_SIDE: Ref = ("ClientSession",)
_WRAPPERS = {
    "Annotated",
    "Optional",
    "Union",
    "Final",
    "ClassVar",
    "Required",
    "NotRequired",
    "SkipValidation",
}
_NAMELESS = {"None", "Any", "object", "Literal"}


def classes_of(annotation: ast.expr | None) -> tuple[Ref, ...]:
    """The access paths of all classes that the value may be an instance of; none for `Any` and `object`."""
    if annotation is None:
        return ()
    return tuple(dict.fromkeys(_classes(annotation, depth=0)))


def _classes(node: ast.expr, depth: int) -> list[Ref]:
    if depth > 8:
        return []
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        parsed = _parse(node.value)
        return _classes(parsed, depth + 1) if parsed else []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _classes(node.left, depth + 1) + _classes(node.right, depth + 1)
    if isinstance(node, ast.Subscript):
        return _subscripted(node, depth)
    ref = lower(node)
    return [ref] if ref and ref[-1].lstrip(".") not in _NAMELESS else []


def _subscripted(node: ast.Subscript, depth: int) -> list[Ref]:
    generic = lower(node.value)
    if generic is None:
        return []
    arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    name = generic[-1].lstrip(".")
    if name == "Annotated":
        return _classes(arguments[0], depth + 1) if arguments else []
    if name in _WRAPPERS:
        return [ref for argument in arguments for ref in _classes(argument, depth + 1)]
    if name == "RequestContext" and any(_names_client(argument) for argument in arguments):
        return [CLIENT_SIDE]  # the context of a client's callback: what it calls is no ask
    return [generic] if name not in _NAMELESS else []


def _names_client(node: ast.expr) -> bool:
    return any(ref[-1].lstrip(".") == "ClientSession" for ref in classes_of(node))


def _parse(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
