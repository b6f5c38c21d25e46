"""Cut the body of a handler at its asks.

Each round enters the body from the top. A segment of statements that an earlier round has run is skipped, a block that
holds the resume point is entered without its condition, and at the resume point the locals come back from the state.
Once the answer is taken everything runs on as it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from .emit import Names, ask_lines, call_lines, field_name, parsed
from .flow.scope import names_in
from .prepare import Prepared
from .refusal import Refusal
from .resuming.plan import Resumption
from .sites import Site
from .splice import both, either, item_names, leaves, lifted_lead, may_catch, spaced

Sites = tuple[Site, ...]
Known = frozenset[str]


class NeedsState(Exception):
    """The body can't be entered without knowing the step, though nothing rides in the state."""


@dataclass
class Segmenter:
    """Cuts one prepared function. `uses_state` tells afterwards whether the body asks for the resumed step, `reviewed`
    whether an `except` or `finally` was touched."""

    prepared: Prepared
    plan: Resumption
    names: Names
    stateless: bool
    uses_state: bool = False
    _entered: tuple[cst.CSTNode, ...] = ()
    """The `for` loops around the statement in hand."""
    reviewed: bool = False

    def body(self) -> list[cst.BaseStatement]:
        suite = self.prepared.node.body
        return self._block(cst.ensure_type(suite, cst.IndentedBlock).body, frozenset(), 1)

    # ── blocks ────────────────────────────────────────────────────────────────────────────────

    def _sites_in(self, node: cst.CSTNode) -> Sites:
        held = self.prepared.layout.inside.get(node, ())
        return tuple(s for s in self.prepared.sites if s.stmt in held)

    def _block(
        self, stmts: Sequence[cst.BaseStatement], restored: Known, depth: int
    ) -> list[cst.BaseStatement]:
        """A block with sites: runs of plain statements, each guarded, and the statements that hold the sites."""
        marks = [(i, sites) for i, stmt in enumerate(stmts) if (sites := self._sites_in(stmt))]
        if not marks:
            return list(stmts)
        all_here: Sites = tuple(s for _, sites in marks for s in sites)
        out, restored = self._skippable(list(stmts[: marks[0][0]]), all_here, restored)
        for number, (index, sites) in enumerate(marks):
            end = marks[number + 1][0] if number + 1 < len(marks) else len(stmts)
            later: Sites = tuple(s for _, group in marks[number + 1 :] for s in group)
            plain = list(stmts[index + 1 : end])
            if not later:
                out += [*self._holding(stmts[index], sites, restored, depth), *plain]
                continue
            runs = self._runs(plain)
            group = [*self._holding(stmts[index], sites, restored, depth + 1), *runs.pop(0)]
            # What the skipped group would have bound comes back in its place.
            back, restored = self._back(later, restored)
            out.append(self._guard(group, later, back))
            more, restored = self._guarded_runs(runs, later, restored)
            out += more
        return out

    def _stays_open(self, stmt: cst.BaseStatement) -> bool:
        """A statement that a resumed round must evaluate again on its way."""
        names = self._bound_by(stmt)
        if stmt in self.plan.refills:
            return True
        return stmt in self.plan.again and bool(names & self.plan.needed_again)

    def _bound_by(self, stmt: cst.BaseStatement) -> set[str]:
        return {n for p in self.prepared.pairs[stmt] for n in names_in(p).binds}

    def _skippable(
        self, stmts: list[cst.BaseStatement], sites: Sites, restored: Known
    ) -> tuple[list[cst.BaseStatement], Known]:
        """Statements above the first site of a block: those that ran already are skipped."""
        out: list[cst.BaseStatement] = []
        while stmts and stmts[0] in self.plan.again:
            out.append(stmts.pop(0))
        more, restored = self._guarded_runs(self._runs(stmts), sites, restored)
        return [*out, *more], restored

    def _runs(self, stmts: list[cst.BaseStatement]) -> list[list[cst.BaseStatement]]:
        """Runs of statements to skip; one that each round evaluates again is a run of its own."""
        runs: list[list[cst.BaseStatement]] = [[]]
        for stmt in stmts:
            if self._stays_open(stmt):
                runs += [[stmt], []]
            else:
                runs[-1].append(stmt)
        return runs

    def _guarded_runs(
        self, runs: list[list[cst.BaseStatement]], sites: Sites, restored: Known
    ) -> tuple[list[cst.BaseStatement], Known]:
        out: list[cst.BaseStatement] = []
        for run in runs:
            if run and self._stays_open(run[0]):
                out += [self._explained(s) for s in run]
            elif run:
                back, restored = self._back(sites, restored)
                out.append(self._guard(run, sites, back))
        return out, restored

    def _explained(self, stmt: cst.BaseStatement) -> cst.BaseStatement:
        if stmt not in self.plan.refills:
            return stmt
        note = cst.EmptyLine(comment=cst.Comment("# Each round anew: it may be served by another process."))
        line = cast("cst.SimpleStatementLine", stmt)
        return line.with_changes(leading_lines=[*line.leading_lines, note])

    def _back(self, sites: Sites, restored: Known) -> tuple[list[str], Known]:
        """The locals that all of `sites` need and that are not back yet."""
        common = [
            n for n in sites[0].fields if n not in restored and all(self._may_come_back(n, s) for s in sites)
        ]
        return common, restored | frozenset(common)

    def _may_come_back(self, name: str, site: Site) -> bool:
        """Not before a loop whose header would run over it."""
        loops = [o for o in self.prepared.layout.outer[site.stmt] if isinstance(o, cst.For)]
        binders = [o for o in loops if name in item_names(o)]
        return name in site.fields and all(o in self._entered for o in binders)

    def _guard(self, group: list[cst.BaseStatement], skipped_for: Sites, back: list[str]) -> cst.If:
        orelse = cst.Else(cst.IndentedBlock(parsed(self._restoring(back)))) if back else None
        self.reviewed = True
        lead, block = lifted_lead(group)
        return cst.If(
            self._resuming(skipped_for, negative=True), cst.IndentedBlock(block), orelse, leading_lines=lead
        )

    def _restoring(self, names: list[str]) -> list[str]:
        self.uses_state = True
        return [f"{name} = {self.names.state}.{field_name(name)}" for name in names]

    # ── tests of the resumed step ─────────────────────────────────────────────────────────────

    def _resuming(self, sites: Sites, *, negative: bool = False) -> cst.BaseExpression:
        """True when this round resumes at one of `sites` and is not there yet."""
        return cst.parse_expression(self._resuming_text(sites, negative=negative))

    def _resuming_text(self, sites: Sites, *, negative: bool = False) -> str:
        everything = len(sites) == len(self.prepared.sites)
        if self.stateless:
            if not everything or any(s.loops for s in sites):
                raise NeedsState
            return f"{'not ' if negative else ''}{self.names.steps}.resuming"
        self.uses_state = True
        if everything:
            return f"{self.names.state} is {'None' if negative else 'not None'}"
        points = [s.point for s in sites]
        one = points[0] if len(points) == 1 else f"({', '.join(points)})"
        return f"{'not ' if negative else ''}isinstance({self.names.state}, {one})"

    # ── statements that hold sites ────────────────────────────────────────────────────────────

    def _holding(
        self, stmt: cst.BaseStatement, sites: Sites, restored: Known, depth: int
    ) -> list[cst.BaseStatement]:
        match stmt:
            case cst.SimpleStatementLine():
                return self._site(sites[0], restored, depth)
            case cst.If():
                return [self._if(stmt, sites, restored, depth)]
            case cst.While():
                return [self._while(stmt, sites, restored, depth)]
            case cst.For():
                return self._for(stmt, sites, restored, depth)
            case cst.Try():
                return [self._try(stmt, sites, restored, depth)]
            case cst.With():
                before = self._restored_before(sites, restored)
                known = self._back(sites, restored)[1]
                return [*before, stmt.with_changes(body=self._suite(stmt.body, known, depth))]
            case cst.Match():
                before = self._restored_before(sites, restored)
                known = self._back(sites, restored)[1]
                cases = [c.with_changes(body=self._suite(c.body, known, depth)) for c in stmt.cases]
                return [*before, stmt.with_changes(cases=cases)]
        raise Refusal("unknown-statement", f"an ask in a {type(stmt).__name__} statement")

    def _suite(self, suite: cst.BaseSuite, restored: Known, depth: int) -> cst.BaseSuite:
        if not self._sites_in(suite):
            return suite
        block = cst.ensure_type(suite, cst.IndentedBlock)
        body = self._block(block.body, restored, depth + 1)
        return block.with_changes(body=body)

    def _site(self, site: Site, restored: Known, depth: int) -> list[cst.BaseStatement]:
        before = self._restored_before((site,), restored)
        if site.callee is None:
            lines = ask_lines(site, self.names, depth)
        else:
            direct = not site.point and not site.loops and not self.prepared.function.is_run
            lines = call_lines(site, self.names, depth, awaited=site.callee.is_async, direct=direct)
        if site.loops and not self.stateless:
            # The next turn of the loop is no resumed one.
            lines.append(f"{self.names.state} = None")
        stmts = parsed(lines)
        first = cast("cst.SimpleStatementLine", stmts[0])
        stmts[0] = first.with_changes(
            leading_lines=() if before else site.stmt.leading_lines,
            trailing_whitespace=site.stmt.trailing_whitespace,
        )
        if before:
            before[0] = cast("cst.If", before[0]).with_changes(leading_lines=site.stmt.leading_lines)
        return [*before, *stmts]

    def _restored_before(self, sites: Sites, restored: Known) -> list[cst.BaseStatement]:
        """Bring back what `sites` need and no guard has brought back yet."""
        out: list[cst.BaseStatement] = []
        missing = self._back(sites, restored)[0]
        if missing:
            block = cst.IndentedBlock(parsed(self._restoring(missing)))
            out.append(cst.If(self._resuming(sites), block))
        return out

    def _if(self, stmt: cst.If, sites: Sites, restored: Known, depth: int) -> cst.If:
        inside = self._sites_in(stmt.body)
        elsewhere = tuple(s for s in sites if s not in inside)
        test = stmt.test
        if not self._same_test(stmt):
            if elsewhere:
                test = both(self._resuming(elsewhere, negative=True), test)
            if inside:
                test = either(self._resuming(inside), test)
        body = self._suite(stmt.body, restored, depth)
        orelse = stmt.orelse
        if isinstance(orelse, cst.If) and self._sites_in(orelse):
            orelse = self._if(orelse, elsewhere, restored, depth)
        elif isinstance(orelse, cst.Else):
            orelse = orelse.with_changes(body=self._suite(orelse.body, restored, depth))
        return stmt.with_changes(test=test, body=body, orelse=orelse, **spaced(test))

    def _same_test(self, stmt: cst.If) -> bool:
        """The condition comes out the same in a resumed round."""
        return stmt.test in self.plan.same_tests

    def _while(self, stmt: cst.While, sites: Sites, restored: Known, depth: int) -> cst.While:
        inside = self._sites_in(stmt.body)
        elsewhere = tuple(s for s in sites if s not in inside)
        test = stmt.test
        if not (isinstance(test, cst.Name) and test.value == "True"):
            if elsewhere:
                test = both(self._resuming(elsewhere, negative=True), test)
            if inside:
                test = either(self._resuming(inside), test)
        body = self._suite(stmt.body, restored, depth)
        orelse = stmt.orelse and stmt.orelse.with_changes(body=self._suite(stmt.orelse.body, restored, depth))
        return stmt.with_changes(
            test=test, body=body, orelse=orelse, **spaced(test, "whitespace_after_while")
        )

    def _for(self, stmt: cst.For, sites: Sites, restored: Known, depth: int) -> list[cst.BaseStatement]:
        before = self._restored_before(sites, restored)
        restored = self._back(sites, restored)[1]
        self._entered = (*self._entered, stmt)
        body = self._suite(stmt.body, restored, depth)
        self._entered = self._entered[:-1]
        return [*before, stmt.with_changes(body=body)]

    def _try(self, stmt: cst.Try, sites: Sites, restored: Known, depth: int) -> cst.Try:
        in_else = self._sites_in(stmt.orelse) if stmt.orelse is not None else ()
        body = self._suite(stmt.body, restored, depth)
        orelse = stmt.orelse
        if in_else and orelse is not None:
            back, inner = self._back(in_else, restored)
            block = cst.ensure_type(body, cst.IndentedBlock)
            guard = self._guard(list(block.body), in_else, back)
            body = block.with_changes(body=[guard])
            orelse = orelse.with_changes(body=self._suite(orelse.body, inner, depth))
        handlers = list(stmt.handlers)
        if self._sites_in(stmt.body) and any(may_catch(h) for h in handlers):
            handlers.insert(0, self._let_through())
            self.reviewed = True
        finalbody = stmt.finalbody
        if finalbody is not None:
            finalbody = self._only_at_the_end(finalbody)
            self.reviewed = True
        return stmt.with_changes(body=body, orelse=orelse, handlers=handlers, finalbody=finalbody)

    def _let_through(self) -> cst.ExceptHandler:
        name = self.names.support["CannotAsk"]
        template = cst.parse_statement(
            f"try:\n    pass\nexcept {name}:\n    raise  # whoever can't be asked has not agreed\n"
        )
        return cst.ensure_type(template, cst.Try).handlers[0]

    def _only_at_the_end(self, final: cst.Finally) -> cst.Finally:
        """Clean up when the handler ends, not when it ends a round."""
        block = cst.ensure_type(final.body, cst.IndentedBlock)
        if leaves(block):
            raise Refusal(
                "swallowing-finally",
                "a `finally` around the ask returns or breaks, which would swallow the question",
            )
        lead, body = lifted_lead(list(block.body))
        guard = cst.If(
            cst.parse_expression(f"not {self.names.steps}.asking"),
            cst.IndentedBlock(body),
            leading_lines=lead,
        )
        return final.with_changes(body=block.with_changes(body=[guard]))
