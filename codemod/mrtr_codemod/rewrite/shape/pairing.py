"""Which `ast` statements a libcst statement stands for: the analyses run on `ast`, the rewrite moves libcst nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

Pairs = dict[cst.CSTNode, list[ast.stmt]]


def pair(function: cst.FunctionDef) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, Pairs]:
    """The function as `ast`, and for each of its statements the nodes there (a line may hold several)."""
    source = cst.Module([function.with_changes(leading_lines=(), decorators=())]).code
    parsed = ast.parse(source).body[0]
    assert isinstance(parsed, (ast.FunctionDef, ast.AsyncFunctionDef))
    pairs: Pairs = {}
    _body(function.body, parsed.body, pairs)
    return parsed, pairs


def _body(suite: cst.BaseSuite, parsed: list[ast.stmt], pairs: Pairs) -> None:
    rest = iter(parsed)
    if isinstance(suite, cst.SimpleStatementSuite):
        pairs[suite] = list(rest)
        return
    for stmt in suite.body:
        if isinstance(stmt, cst.SimpleStatementLine):
            pairs[stmt] = [next(rest) for _ in stmt.body]
        elif isinstance(stmt, cst.BaseStatement):
            _compound(stmt, next(rest), pairs)


def _compound(stmt: cst.BaseStatement, parsed: ast.stmt, pairs: Pairs) -> None:
    pairs[stmt] = [parsed]
    if isinstance(stmt, (cst.FunctionDef, cst.ClassDef)):
        return
    for suite, inner in _suites(stmt, parsed, pairs):
        _body(suite, inner, pairs)


def _suites(
    stmt: cst.BaseStatement, parsed: ast.stmt, pairs: Pairs
) -> Iterator[tuple[cst.BaseSuite, list[ast.stmt]]]:
    if isinstance(stmt, cst.Match) and isinstance(parsed, ast.Match):
        for case, parsed_case in zip(stmt.cases, parsed.cases, strict=True):
            yield case.body, parsed_case.body
        return
    yield stmt.body, parsed.body  # type: ignore[attr-defined]
    orelse = getattr(stmt, "orelse", None)
    if isinstance(orelse, cst.If):
        _compound(orelse, parsed.orelse[0], pairs)  # type: ignore[attr-defined]
    elif orelse is not None:
        yield orelse.body, parsed.orelse  # type: ignore[attr-defined]
    for handler, parsed_handler in zip(
        getattr(stmt, "handlers", ()), getattr(parsed, "handlers", ()), strict=True
    ):
        yield handler.body, parsed_handler.body
    if getattr(stmt, "finalbody", None) is not None:
        yield stmt.finalbody.body, parsed.finalbody  # type: ignore[attr-defined]
