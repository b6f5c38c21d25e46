"""Conditions, clauses and comments of statements that are cut and put together again."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

import libcst as cst

from .flow.scope import names_in
from .syntax import code
from .tree import children_of

_CANNOT_CATCH = frozenset(
    [
        "ValueError",
        "TypeError",
        "KeyError",
        "IndexError",
        "LookupError",
        "AttributeError",
        "ZeroDivisionError",
        "ArithmeticError",
        "OSError",
        "IOError",
        "FileNotFoundError",
        "PermissionError",
        "FileExistsError",
        "TimeoutError",
        "ConnectionError",
        "RuntimeError",
        "NotImplementedError",
        "StopIteration",
        "UnicodeDecodeError",
        "UnicodeError",
        "ImportError",
        "AssertionError",
    ]
)


def item_names(loop: cst.For) -> set[str]:
    """The names that the header of a loop with a cursor binds, without the cursor."""
    target = loop.target
    item = target.elements[1].value if isinstance(target, cst.Tuple) else target
    return names_in(ast.parse(code(item).strip(), mode="eval").body).reads


def may_catch(handler: cst.ExceptHandler) -> bool:
    """Whether an `except` could catch that the client can't be asked."""
    if handler.type is None:
        return True
    types = (
        [e.value for e in handler.type.elements] if isinstance(handler.type, cst.Tuple) else [handler.type]
    )
    return not all(isinstance(t, cst.Name) and t.value in _CANNOT_CATCH for t in types)


def leaves(node: cst.CSTNode) -> bool:
    if isinstance(node, (cst.Return, cst.Break, cst.Continue)):
        return True
    return not isinstance(node, (cst.FunctionDef, cst.Lambda)) and any(leaves(c) for c in children_of(node))


def _grouped(expr: cst.BaseExpression, loose: tuple[type, ...]) -> cst.BaseExpression:
    if isinstance(expr, loose) and not expr.lpar:
        return expr.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return expr


def either(left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    return cst.BooleanOperation(left, cst.Or(), _grouped(right, (cst.IfExp, cst.NamedExpr, cst.Lambda)))


def both(left: cst.BaseExpression, right: cst.BaseExpression) -> cst.BaseExpression:
    loose: tuple[type, ...] = (cst.IfExp, cst.NamedExpr, cst.Lambda)
    if isinstance(right, cst.BooleanOperation) and isinstance(right.operator, cst.Or):
        loose = (*loose, cst.BooleanOperation)
    return cst.BooleanOperation(left, cst.And(), _grouped(right, loose))


def spaced(
    test: cst.BaseExpression, name: str = "whitespace_before_test"
) -> dict[str, cst.BaseParenthesizableWhitespace]:
    """`if(x)` needs a space once its condition grows."""
    return {name: cst.SimpleWhitespace(" ")}


def lifted_lead(
    stmts: list[cst.BaseStatement],
) -> tuple[Sequence[cst.EmptyLine], list[cst.BaseStatement]]:
    """Blank lines above the first statement go above the block that takes it in; comments stay with the statement."""
    first = cast("cst.SimpleStatementLine", stmts[0])
    lines = list(first.leading_lines)
    lead: list[cst.EmptyLine] = []
    while lines and lines[0].comment is None:
        lead.append(lines.pop(0))
    return lead, [first.with_changes(leading_lines=lines), *stmts[1:]]
