"""Where the statements of a function stand: the blocks around each, and the sites inside each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

Around = tuple[cst.BaseSuite, ...]


@dataclass
class Layout:
    """Built once for a function; answers by identity of the node.

    `around` gives the blocks that a statement is in, outermost first; `outer` the compound statements (each `elif` by
    itself); `inside` the marked statements that a statement, block or clause holds.
    """

    around: dict[cst.CSTNode, Around] = field(default_factory=dict)
    outer: dict[cst.CSTNode, tuple[cst.CSTNode, ...]] = field(default_factory=dict)
    inside: dict[cst.CSTNode, tuple[cst.CSTNode, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, function: cst.FunctionDef, marked: Iterable[cst.CSTNode]) -> Layout:
        layout = cls()
        layout._suite(function.body, (), (), frozenset(marked))
        return layout

    def _suite(
        self,
        suite: cst.BaseSuite,
        around: Around,
        outer: tuple[cst.CSTNode, ...],
        marked: frozenset[cst.CSTNode],
    ) -> tuple[cst.CSTNode, ...]:
        found: tuple[cst.CSTNode, ...] = ()
        for stmt in suite.body:
            found += self._statement(stmt, (*around, suite), outer, marked)
        self.inside[suite] = found
        return found

    def _statement(
        self,
        stmt: cst.CSTNode,
        around: Around,
        outer: tuple[cst.CSTNode, ...],
        marked: frozenset[cst.CSTNode],
    ) -> tuple[cst.CSTNode, ...]:
        self.around[stmt] = around
        self.outer[stmt] = outer
        found: tuple[cst.CSTNode, ...] = (stmt,) if stmt in marked else ()
        for clause in clauses(stmt):
            if isinstance(clause, cst.If):
                found += self._statement(clause, around, (*outer, stmt), marked)
            else:
                inner = self._suite(suite_of(clause), around, (*outer, stmt), marked)
                self.inside[clause] = inner
                found += inner
        self.inside[stmt] = found
        return found


def clauses(stmt: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """The parts of a compound statement that hold blocks, in the order of the source; an `elif` is one of them."""
    if isinstance(stmt, cst.Match):
        return list(stmt.cases)
    if not isinstance(stmt, cst.BaseCompoundStatement) or isinstance(stmt, (cst.FunctionDef, cst.ClassDef)):
        return []
    found: list[cst.CSTNode] = [stmt.body]
    if isinstance(stmt, (cst.Try, cst.TryStar)):
        found += stmt.handlers
    for name in ("orelse", "finalbody"):
        clause = getattr(stmt, name, None)
        if clause is not None:
            found.append(clause)
    return found


def suite_of(clause: cst.CSTNode) -> cst.BaseSuite:
    if isinstance(clause, cst.BaseSuite):
        return clause
    body: cst.BaseSuite = clause.body  # type: ignore[attr-defined]
    return body
