"""Which bindings of a local may be the ones that a statement sees."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .scope import FunctionNode, names_in

Loop = (ast.For, ast.AsyncFor, ast.While)


@dataclass
class Reaching:
    """Bindings and their reach in one function, by where statements stand: earlier, or in a loop with it."""

    function: FunctionNode
    statements: list[ast.stmt] = field(default_factory=list)
    binders: dict[str, list[ast.stmt]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.statements = [inner for stmt in self.function.body for inner in own_statements(stmt)]
        for stmt in self.statements:
            for name in header_binds(stmt):
                self.binders.setdefault(name, []).append(stmt)
        self._loops = [
            (s, s.lineno, s.end_lineno or s.lineno) for s in self.statements if isinstance(s, Loop)
        ]

    def bindings(self, name: str, at: ast.stmt) -> list[ast.stmt]:
        """Statements whose binding of `name` may be the one seen at `at`; `at` itself is left out."""
        return [s for s in self.binders.get(name, []) if s is not at and self.may_precede(s, at)]

    def may_precede(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Whether `first` may run before `second` (they may be the same statement, in an earlier turn of a loop)."""
        if first is second or (first.lineno, first.col_offset) < (second.lineno, second.col_offset):
            return True
        return any(
            start <= second.lineno and end >= first.lineno and loop is not first
            for loop, start, end in self._loops
        )


def own_statements(stmt: ast.stmt) -> list[ast.stmt]:
    """A statement and those inside it, without those of nested functions."""
    found = [stmt]
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return found
    for child in ast.iter_child_nodes(stmt):
        if isinstance(child, ast.stmt):
            found += own_statements(child)
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            for inner in child.body:
                found += own_statements(inner)
    return found


def header(stmt: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that are its own, without its blocks."""
    return [
        c
        for c in ast.iter_child_nodes(stmt)
        if not isinstance(c, (ast.stmt, ast.ExceptHandler, ast.match_case))
    ]


def header_binds(stmt: ast.stmt) -> set[str]:
    """The names that a statement binds itself, not in its blocks."""
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {stmt.name}
    if isinstance(stmt, (ast.Import, ast.ImportFrom)):
        return names_in(stmt).binds
    found = set(names_in(*header(stmt)).binds)
    if isinstance(stmt, ast.Match):
        for case in stmt.cases:
            found |= names_in(case.pattern).binds | (names_in(case.guard).binds if case.guard else set())
    if isinstance(stmt, ast.Try):
        found |= {h.name for h in stmt.handlers if h.name}
    return found


def without_blocks(stmts: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, the compound ones reduced to their headers: what is in their blocks is in the list itself."""
    out: list[ast.stmt] = []
    for stmt in stmts:
        if isinstance(stmt, (*Loop, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match)):
            out += [ast.Expr(part) for part in header(stmt) if isinstance(part, ast.expr)]
        else:
            out.append(stmt)
    return out
