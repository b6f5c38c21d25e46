"""Which statements and conditions a resumed round may evaluate again on its way to the site."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import libcst as cst

from ..flow.reaching import Reaching, header, own_statements
from ..flow.scope import names_in
from ..prepare import Prepared
from ..sites import Site
from .steady import Steady

Statements = frozenset[cst.CSTNode]


@dataclass
class Again:
    """Answers for one prepared function."""

    prepared: Prepared
    steady: Steady
    reaching: Reaching

    def before(self, site: Site) -> list[cst.CSTNode]:
        """Statements that stand before the site in the blocks around it."""
        around = self.prepared.layout.around[site.stmt]
        found: list[cst.CSTNode] = []
        for block in around:
            for stmt in block.body:
                if site.stmt in self.prepared.layout.inside[stmt]:
                    break
                found.append(stmt)
        return found

    def candidates(self) -> Statements:
        """Statements on the way to a site that are steady, each by itself."""
        on_way = dict.fromkeys(s for site in self.prepared.sites for s in self.before(site))
        return frozenset(s for s in on_way if all(self.steady.statement(p) for p in self.prepared.pairs[s]))

    def settled(self, candidates: Statements) -> Statements:
        """The candidates that read nothing but what is the same in every round."""
        current = set(candidates)
        changed = True
        while changed:
            changed = False
            for stmt in list(current):
                around = self.prepared.layout.around[stmt]
                known = self.bound_by(c for c in current if self.prepared.layout.around[c][-1] in around)
                if not all(self._inputs_same(p, known) for p in self.parsed_inside(stmt)):
                    current.discard(stmt)
                    changed = True
        return frozenset(current)

    def parsed_inside(self, stmt: cst.CSTNode) -> list[ast.stmt]:
        return [inner for p in self.prepared.pairs[stmt] for inner in own_statements(p)]

    def bound_by(self, stmts) -> set[ast.stmt]:  # type: ignore[no-untyped-def]
        return {p for s in stmts for p in self.parsed_inside(s)}

    def _inputs_same(self, stmt: ast.stmt, known: set[ast.stmt]) -> bool:
        if isinstance(
            stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        ):
            return True
        reads = names_in(*header(stmt)).reads & self.prepared.locals
        return all(self._same(name, stmt, known) for name in reads)

    def _same(self, name: str, at: ast.stmt, known: set[ast.stmt]) -> bool:
        bindings = self.reaching.bindings(name, at)
        if not bindings and self.changed_argument(name):
            return False
        return all(b in known for b in bindings)

    def changed_argument(self, name: str) -> bool:
        """An argument whose content the function changes: what the client sends again is not what it has become."""
        prepared = self.prepared
        if name not in prepared.parameters or self.steady.is_context(name):
            return False
        return name in self.steady.mutated and not prepared.is_immutable(name)

    def on_path(self, site: Site, again: Statements) -> set[ast.stmt]:
        """What the statements evaluated again on the way to the site consist of."""
        return self.bound_by(s for s in self.before(site) if s in again)

    def same_tests(self, again: Statements) -> list[cst.If]:
        """The `if` around sites whose conditions come out the same in a resumed round."""
        found: dict[cst.If, bool] = {}
        for site in self.prepared.sites:
            known = self.on_path(site, again)
            for outer in self.prepared.layout.outer[site.stmt]:
                if isinstance(outer, cst.If):
                    found[outer] = found.get(outer, True) and self._test_same(outer, known)
        return [stmt for stmt, same in found.items() if same]

    def _test_same(self, stmt: cst.If, known: set[ast.stmt]) -> bool:
        parsed = self.prepared.pairs[stmt][0]
        assert isinstance(parsed, ast.If)
        if not self.steady.value(parsed.test):
            return False
        reads = names_in(parsed.test).reads & self.prepared.locals
        return all(self._same(name, parsed, known) for name in reads)

    def with_inputs(self, names: set[str], again: Statements) -> frozenset[str]:
        """`names`, and the locals that the statements need which give them again."""
        found = set(names)
        changed = True
        while changed:
            changed = False
            for stmt in again:
                if self.binds(stmt) & found:
                    reads = {
                        n for p in self.prepared.pairs[stmt] for n in names_in(p).reads
                    } & self.prepared.locals
                    changed |= not reads <= found
                    found |= reads
        return frozenset(found)

    def touches(self, stmt: cst.CSTNode) -> set[str]:
        """The names that a statement reads or binds; a function reads only when it is called."""
        found: set[str] = set()
        for parsed in self.prepared.pairs[stmt]:
            names = names_in(parsed)
            found |= (
                names.binds
                if isinstance(parsed, (ast.FunctionDef, ast.AsyncFunctionDef))
                else names.binds | names.reads
            )
        return found

    def binds(self, stmt: cst.CSTNode) -> set[str]:
        return {n for p in self.prepared.pairs[stmt] for n in names_in(p).binds}
