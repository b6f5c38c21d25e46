"""Loops that can be resumed: a `for` with an ask in it counts its turns, so a later round starts at the right one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import libcst as cst

from ..flow.scope import names_in
from ..refusal import Refusal
from ..valuetypes.model import Type

_ORDERED = {"list", "tuple", "dict", "str", "bytes", "Sequence"}


@dataclass
class Loops:
    """Gives each asking `for` of a function a cursor: `for at, item in numbered(items, at)`.

    `steady` tells an iterable that a later round can build again just as it was; another one is put into a list first.
    """

    asks_in: Callable[[cst.CSTNode], object]
    steady: Callable[[cst.BaseExpression, cst.For], bool]
    fresh: Callable[[str], str]
    numbered: str

    def block(self, suite: cst.IndentedBlock) -> cst.IndentedBlock:
        out: list[cst.BaseStatement] = []
        for stmt in suite.body:
            out += self._statement(stmt)
        return suite.with_changes(body=out)

    def _statement(self, stmt: cst.BaseStatement) -> list[cst.BaseStatement]:
        if isinstance(stmt, cst.SimpleStatementLine) or not self.asks_in(stmt):
            return [stmt]
        new = cast("cst.BaseStatement", _each_suite(stmt, self.block))
        if isinstance(new, cst.For) and isinstance(stmt, cst.For) and self.asks_in(new.body):
            return self._for(new, stmt)
        return [new]

    def _for(self, stmt: cst.For, original: cst.For) -> list[cst.BaseStatement]:
        if stmt.asynchronous is not None:
            raise Refusal(
                "async-for", "an `async for` can't be resumed in the middle: collect its items first"
            )
        if stmt.orelse is not None and self.asks_in(stmt.orelse):
            raise Refusal("loop-else", "the ask stands in the `else` of a `for`")
        before: list[cst.BaseStatement] = []
        iterable = stmt.iter
        if not self.steady(iterable, original):
            items = self.fresh("items")
            before.append(_assign(items, cst.Call(cst.Name("list"), [cst.Arg(iterable)])))
            iterable = cst.Name(items)
        cursor = self.fresh("at")
        before.append(_assign(cursor, cst.Integer("0")))
        before[0] = cast("cst.SimpleStatementLine", before[0]).with_changes(leading_lines=stmt.leading_lines)
        target = stmt.target
        if isinstance(target, cst.Tuple) and not target.lpar:
            target = target.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        pair = cst.Tuple(
            [cst.Element(cst.Name(cursor)), cst.Element(cast("cst.BaseExpression", target))], lpar=(), rpar=()
        )
        items_from = cst.Call(cst.Name(self.numbered), [cst.Arg(iterable), cst.Arg(cst.Name(cursor))])
        return [*before, stmt.with_changes(target=pair, iter=items_from, leading_lines=())]


def steady_iterable(
    expr: ast.expr,
    type_of: Callable[[ast.expr], Type | None],
    reproducible: Callable[[ast.expr], bool],
    mutated: frozenset[str],
    rebound: frozenset[str],
) -> bool:
    """Whether evaluating `expr` in a later round gives the same items in the same order.

    `reproducible` judges an expression over values that the state or the arguments bring back; `mutated` are the names
    whose content changes inside the loop, `rebound` those that stand for something else in it.
    """
    if not reproducible(expr):
        return False
    names = names_in(expr).reads
    if names & rebound or (names & mutated and not isinstance(expr, ast.Name)):
        return False
    return _ordered(expr, type_of)


def _ordered(expr: ast.expr, type_of: Callable[[ast.expr], Type | None]) -> bool:
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Name):
        if expr.func.id == "range":
            return True
        if expr.func.id in ("enumerate", "zip", "reversed", "list", "tuple"):
            return all(_ordered(a, type_of) for a in expr.args[: 1 if expr.func.id == "enumerate" else None])
        if expr.func.id == "sorted":
            return True
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        if expr.func.attr in ("items", "keys", "values"):
            owner = type_of(expr.func.value)
            return owner is not None and owner.name == "dict"
        if expr.func.attr in ("split", "rsplit", "splitlines"):
            return True
    found = type_of(expr)
    return found is not None and all(m.name in _ORDERED for m in found.members)


def _each_suite(
    stmt: cst.BaseStatement, change: Callable[[cst.IndentedBlock], cst.IndentedBlock]
) -> cst.BaseCompoundStatement:
    """The compound statement with each of its blocks changed."""
    changes: dict[str, object] = {}
    if isinstance(stmt, cst.Match):
        return stmt.with_changes(cases=[c.with_changes(body=_changed(c.body, change)) for c in stmt.cases])
    changes["body"] = _changed(stmt.body, change)  # type: ignore[attr-defined]
    orelse = getattr(stmt, "orelse", None)
    if isinstance(orelse, cst.If):
        changes["orelse"] = _each_suite(orelse, change)
    elif orelse is not None:
        changes["orelse"] = orelse.with_changes(body=_changed(orelse.body, change))
    return cast("cst.BaseCompoundStatement", stmt.with_changes(**changes))


def _changed(suite: cst.BaseSuite, change: Callable[[cst.IndentedBlock], cst.IndentedBlock]) -> cst.BaseSuite:
    return change(suite) if isinstance(suite, cst.IndentedBlock) else suite


def _assign(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], value)])
