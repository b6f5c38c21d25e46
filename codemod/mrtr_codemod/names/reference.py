"""Expressions as access paths: `ctx.session.elicit(...)` is `("ctx", ".session", ".elicit", "()")`.

A path outlives the syntax tree that it came from, so the names of a large repo cost little memory.
"""

from __future__ import annotations

import ast

Ref = tuple[str, ...]
"""A root name, then `.attribute`, `()` for a call and `[]` for an element. Awaiting changes nothing."""

CALL = "()"
ELEMENT = "[]"
_TRANSPARENT = (ast.Await, ast.Starred, ast.NamedExpr)


def lower(node: ast.expr) -> Ref | None:
    """The access path of an expression, or None when it starts at something that has no name."""
    operations: list[str] = []
    while True:
        if isinstance(node, ast.Name):
            operations.append(node.id)
            return tuple(reversed(operations))
        if isinstance(node, ast.Attribute):
            operations.append(f".{node.attr}")
            node = node.value
        elif isinstance(node, ast.Subscript):
            operations.append(ELEMENT)
            node = node.value
        elif isinstance(node, _TRANSPARENT):
            node = node.value
        elif isinstance(node, ast.Call):
            inner = _stands_for(node)
            if inner is None:
                operations.append(CALL)
                node = node.func
            elif isinstance(inner, str):
                operations.append(f".{inner}")
                node = node.args[0]
            else:
                node = inner
        else:
            return None


def alternatives(node: ast.expr) -> list[Ref]:
    """The access paths that an expression may have: both arms of `a or b` and `a if t else b`."""
    if isinstance(node, ast.BoolOp):
        return [ref for value in node.values for ref in alternatives(value)]
    if isinstance(node, ast.IfExp):
        return alternatives(node.body) + alternatives(node.orelse)
    if isinstance(node, _TRANSPARENT):
        return alternatives(node.value)
    ref = lower(node)
    return [ref] if ref else []


def _stands_for(call: ast.Call) -> ast.expr | str | None:
    """What a transparent call is about: `partial(f, …)` is `f`, `getattr(x, "name")` is `.name` of `x`."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name == "partial" and call.args:
        return call.args[0]
    if name == "cast" and len(call.args) == 2:
        return call.args[1]
    if name == "getattr" and len(call.args) >= 2 and isinstance(function, ast.Name):
        literal = call.args[1]
        if isinstance(literal, ast.Constant) and isinstance(literal.value, str):
            return literal.value
    return None
