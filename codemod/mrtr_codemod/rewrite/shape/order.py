"""The order in which Python evaluates the parts of an expression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from ..refusal import Refusal
from ..tree import children_of

Part = tuple[cst.BaseExpression, bool]
"""A part of an expression, and whether it may be left out when the whole is evaluated."""

_LATER = (cst.Lambda, cst.Yield)


def parts_in_order(node: cst.BaseExpression) -> list[Part]:
    """The parts of `node` in the order of their evaluation.

    Raises:
        Refusal: where the order can't be told.
    """
    match node:
        case cst.BinaryOperation():
            return [(node.left, False), (node.right, False)]
        case cst.BooleanOperation():
            return [(node.left, False), (node.right, True)]
        case cst.Comparison():
            rest = [c.comparator for c in node.comparisons]
            return [(node.left, False), (rest[0], False), *((c, True) for c in rest[1:])]
        case cst.UnaryOperation() | cst.Await():
            return [(node.expression, False)]
        case cst.IfExp():
            return [(node.test, False), (node.body, True), (node.orelse, True)]
        case cst.NamedExpr():
            return [(node.value, False)]
        case cst.Attribute():
            return [(node.value, False)]
        case cst.Subscript():
            return [(node.value, False), *((e, False) for e in _slices(node.slice))]
        case cst.Call():
            callee = node.func.value if isinstance(node.func, cst.Attribute) else node.func
            return [(callee, False), *((a.value, False) for a in _call_order(node.args))]
        case cst.Tuple() | cst.List() | cst.Set():
            return [(e.value, False) for e in node.elements]
        case cst.Dict():
            return [(e, False) for element in node.elements for e in _dict_parts(element)]
        case cst.FormattedString():
            return [(e, False) for part in node.parts for e in _format_parts(part)]
        case cst.ConcatenatedString():
            return [(node.left, False), (node.right, False)]
        case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
            # Only the first iterable is evaluated here and now.
            return [(node.for_in.iter, False)]
        case _:
            return []


def _call_order(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    # `f(k=a, *b)` evaluates b first.
    starred = [a for a in args if a.keyword is None and a.star != "**"]
    return [*starred, *(a for a in args if a not in starred)]


def _slices(elements: Sequence[cst.SubscriptElement]) -> list[cst.BaseExpression]:
    found: list[cst.BaseExpression | None] = []
    for element in elements:
        if isinstance(element.slice, cst.Index):
            found.append(element.slice.value)
        elif isinstance(element.slice, cst.Slice):
            found += [element.slice.lower, element.slice.upper, element.slice.step]
    return [e for e in found if e is not None]


def _dict_parts(element: cst.BaseDictElement) -> list[cst.BaseExpression]:
    return [element.key, element.value] if isinstance(element, cst.DictElement) else [element.value]


def _format_parts(part: cst.BaseFormattedStringContent) -> list[cst.BaseExpression]:
    if not isinstance(part, cst.FormattedStringExpression):
        return []
    return [part.expression, *(e for inner in part.format_spec or () for e in _format_parts(inner))]


def contains(node: cst.CSTNode, target: cst.CSTNode) -> bool:
    return node is target or any(contains(child, target) for child in children_of(node))


@dataclass(frozen=True)
class Position:
    """Where an ask stands in an expression.

    `unit` is the outermost part that is evaluated for certain and holds the ask: the ask itself, or an expression
    that may leave it out. `earlier` are the parts that are evaluated before the unit.
    """

    unit: cst.BaseExpression
    earlier: tuple[cst.BaseExpression, ...]


def position(node: cst.BaseExpression, target: cst.BaseExpression) -> Position:
    """Where `target` stands in `node`.

    Raises:
        Refusal: if it is not evaluated as part of `node`, or at a point that can't be told.
    """
    if node is target:
        return Position(node, ())
    earlier: list[cst.BaseExpression] = []
    for part, conditional in parts_in_order(node):
        if contains(part, target):
            if conditional:
                return Position(node, ())
            inside = position(part, target)
            return Position(inside.unit, (*earlier, *inside.earlier))
        earlier.append(part)
    place = (
        "a lambda"
        if isinstance(node, _LATER)
        else "a comprehension"
        if "Comp" in type(node).__name__
        else "its place"
    )
    raise Refusal(
        "ask-in-comprehension" if place == "a comprehension" else "dynamic-ask", f"the ask stands in {place}"
    )
