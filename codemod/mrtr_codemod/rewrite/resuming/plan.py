"""The plan for one function: fields for its sites, and the statements that each round evaluates again."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import libcst as cst

from ..flow.liveness import live_locals, surely_bound
from ..flow.mutation import Mutation, root
from ..flow.reaching import Reaching
from ..flow.scope import names_in
from ..module_view import Function
from ..prepare import Prepared
from ..refusal import Refusal
from ..sites import Site
from ..syntax import as_ast
from ..valuetypes.carry import Carrier
from ..valuetypes.infer import ANSWER
from ..valuetypes.model import Type
from .again import Again, Statements
from .fields import Fields
from .refills import find_refills
from .steady import Steady, names_only


@dataclass(frozen=True)
class Resumption:
    """How a later round finds its way.

    `again` are statements that may be evaluated again; those that bind `needed_again` must be. `same_tests` are
    conditions that come out the same. `refills` put back into memory what another process may have held. With `light`,
    nothing but such statements stands before the only ask, and no state is needed.
    """

    again: Statements
    needed_again: frozenset[str]
    light: bool
    same_tests: frozenset[cst.CSTNode] = frozenset()
    refills: Statements = frozenset()


class Planner:
    """Works out the plan for a prepared function, and fills in the fields of its sites.

    Raises:
        Refusal: if a later round can't be brought to where an earlier one left off.
    """

    def __init__(self, prepared: Prepared, carrier: Carrier) -> None:
        facts = prepared.view.facts
        self.prepared = prepared
        self.mutated = Mutation(facts).mutated(prepared.parsed.body)
        self.steady = Steady(prepared.function, facts, prepared.purity, prepared.locals, self.mutated)
        self.reaching = Reaching(prepared.parsed)
        self.again = Again(prepared, self.steady, self.reaching)
        self.liveness = live_locals(prepared.parsed)
        self.fields = Fields(
            prepared, carrier, self.mutated, surely_bound(prepared.parsed, self._covers_every_answer)
        )
        self.refills = find_refills(prepared, self.steady, self.reaching)
        self._refuse_changing_objects()
        self.live = {site: self._live(site) for site in prepared.sites}

    def plan(self, *, allow_light: bool = True) -> Resumption:
        """The plan; without `allow_light` the one that skips all that ran already."""
        return (self._light() if allow_light else None) or self._full()

    def _full(self) -> Resumption:
        again = self.again.settled(self.again.candidates())
        while True:
            needed: set[str] = set()
            for site in self.prepared.sites:
                site.fields, recomputed = self._fields_of(site, again)
                needed |= recomputed
            # What a step brings back is of a later time: no statement may run over it, nor be evaluated again with it.
            carried = {name for site in self.prepared.sites for name in site.fields}
            kept = frozenset(s for s in again if not (self.again.touches(s) & carried))
            if kept == again:
                break
            again = self.again.settled(kept)
        same = [s for s in self.again.same_tests(again) if not (names_in(as_ast(s.test)).reads & carried)]
        for stmt in same:
            needed |= names_in(as_ast(stmt.test)).reads & self.prepared.locals
        open_names = self.again.with_inputs(needed, again)
        return Resumption(again, open_names, False, frozenset(s.test for s in same), self.refills)

    # ── what is live ──────────────────────────────────────────────────────────────────────────

    def _parsed(self, stmt: cst.CSTNode) -> ast.stmt:
        return self.prepared.pairs[stmt][0]

    def _live(self, site: Site) -> frozenset[str]:
        """What the code from the site on reads: its questions too, which are built again if an answer is missing."""
        live = set(self.liveness.after[self._parsed(site.stmt)]) - set(site.targets)
        for expr in site.evaluated:
            live |= names_in(as_ast(expr)).reads
        for outer in self.prepared.layout.outer[site.stmt]:
            if isinstance(outer, cst.For):
                live |= names_in(as_ast(outer.iter)).reads
            elif isinstance(outer, cst.Match):
                live |= self._match_reads(outer)
            elif isinstance(outer, cst.With):
                live |= self._with_reads(outer)
        for refill in self.refills:
            live |= names_in(self._parsed(refill)).reads
        return frozenset(live & self.prepared.locals)

    def _with_reads(self, stmt: cst.With) -> set[str]:
        """A resumed round enters the block again, with what its head is given."""
        heads = [item.item for item in stmt.items]
        given = [arg.value for call in heads if isinstance(call, cst.Call) for arg in call.args]
        if not all(self.prepared.purity.effect_free(as_ast(value)) for value in given):
            raise Refusal(
                "evaluation-order", "the head of a `with` around the ask may come out otherwise later"
            )
        return {name for value in given for name in names_in(as_ast(value)).reads}

    def _match_reads(self, stmt: cst.Match) -> set[str]:
        """A resumed round matches again, so the subject and all guards must see what they saw."""
        parsed = self._parsed(stmt)
        assert isinstance(parsed, ast.Match)
        guards = [case.guard for case in parsed.cases if case.guard is not None]
        if not all(self.steady.value(expr) for expr in (parsed.subject, *guards)):
            raise Refusal(
                "evaluation-order", "a `match` around the ask may come out otherwise in a later round"
            )
        bound = {n for case in parsed.cases for n in names_in(case.pattern).binds}
        reads = (names_in(parsed.subject, *guards).reads) - bound
        if reads & names_in(*(s for case in parsed.cases for s in case.body)).binds:
            raise Refusal("evaluation-order", "a `match` around the ask changes what it matches")
        return reads

    def _covers_every_answer(self, stmt: ast.Match) -> bool:
        """A `match` on an answer with a case for each of accepted, declined and cancelled."""
        subject = self.prepared.purity.type_of(stmt.subject)
        if subject is None or subject.name != ANSWER:
            return False
        left = {"AcceptedElicitation", "DeclinedElicitation", "CancelledElicitation"}
        for case in stmt.cases:
            if case.guard is None:
                patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
                left -= {_class_of(p) for p in patterns}
        return not left

    # ── no state at all ───────────────────────────────────────────────────────────────────────

    def _light(self) -> Resumption | None:
        """The plan without state: one ask, and before it only statements that look and may leave early."""
        if len(self.prepared.sites) != 1 or self.refills:
            return None
        site = self.prepared.sites[0]
        at = self._parsed(site.stmt)
        needed_after = frozenset(self.liveness.after[at] - set(site.targets)) | self._told_apart_by(site)
        again = set(self.again.settled(self.again.candidates()))
        for stmt in self.again.before(site):
            if stmt not in again and not all(self._looks(p, needed_after) for p in self.prepared.pairs[stmt]):
                return None
            again.add(stmt)
        if any(
            isinstance(o, (cst.For, cst.While)) and not _endless(o)
            for o in self.prepared.layout.outer[site.stmt]
        ):
            return None
        known = self.again.bound_by(again)
        for name in self.live[site]:
            bindings = self.reaching.bindings(name, at)
            if self.again.changed_argument(name) or not all(b in known for b in bindings):
                return None
            if name in needed_after and not all(self.steady.statement(b) for b in bindings):
                return None
        same = self.again.same_tests(frozenset(again))
        return Resumption(frozenset(again), self.prepared.locals, True, frozenset(s.test for s in same))

    def _told_apart_by(self, site: Site) -> frozenset[str]:
        """The locals by which answers to the same question are told apart, for each of some items."""
        each = [ask.each.iter for ask in site.asks if ask.each is not None]
        return frozenset(name for items in each for name in names_in(as_ast(items)).reads)

    def _looks(self, stmt: ast.stmt, needed_after: frozenset[str]) -> bool:
        """No effect when evaluated again, and nothing that the code after the ask relies on."""
        pure = self.prepared.purity.effect_free
        match stmt:
            case ast.If(test=test, body=[ast.Return(value=value)], orelse=[]):
                return pure(test) and (value is None or pure(value))
            case ast.If(
                test=test, body=[ast.Raise(exc=ast.Call(args=args, keywords=[]), cause=None)], orelse=[]
            ):
                return pure(test) and all(pure(a) for a in args)
            case ast.Assign(targets=targets, value=value) if all(names_only(t) for t in targets):
                names = {n for t in targets for n in names_in(t).binds}
                return pure(value) and not (names & (needed_after | self.mutated))
        return False

    # ── what rides in the state ───────────────────────────────────────────────────────────────

    def _fields_of(self, site: Site, again: Statements) -> tuple[dict[str, Type], set[str]]:
        """The fields of a site's step, and the locals that are computed again instead."""
        known = self.again.on_path(site, again)
        at = self._parsed(site.stmt)
        fields: dict[str, Type] = {}
        recomputed: set[str] = set()
        for name in sorted(self.live[site], key=self._first_bound):
            if name in self.prepared.parameters and self.steady.is_context(name):
                continue
            bindings = self.reaching.bindings(name, at)
            if not bindings:
                if self.again.changed_argument(name):
                    self._refuse_callers_object(name)
                    fields[name] = self.fields.type_of(name, at)
            elif all(b in known for b in bindings):
                recomputed.add(name)
            elif not self._loop_gives(name, site, bindings):
                fields[name] = self.fields.type_of(name, at)
        return fields, recomputed

    def _refuse_changing_objects(self) -> None:
        """Refuse objects of this call, or of the caller, with a method that asks and others that change them: what they
        keep would be gone in a later round."""
        for site in self.prepared.sites:
            if site.callee is None or site.callee.owner is None or site.call is None:
                continue
            name = root(as_ast(site.call.func)) or ""
            if (
                name in self.prepared.locals
                and not self.steady.is_context(name)
                and _changes_itself(site.callee)
            ):
                raise Refusal(
                    "object-changed",
                    f"`{name}` changes in a method that asks, and a later round has another object in its place: "
                    "keep what changes on the server, or hand it over as arguments",
                )

    def _refuse_callers_object(self, name: str) -> None:
        """A helper that changes what it was given changes its caller's object; a copy from the state would not."""
        if self.prepared.function.method is None:
            raise Refusal(
                "shared-object", f"`{name}` belongs to the caller and is changed in place around an ask"
            )

    def _first_bound(self, name: str) -> tuple[int, str]:
        return (min((s.lineno for s in self.reaching.binders.get(name, [])), default=0), name)

    def _loop_gives(self, name: str, site: Site, bindings: list[ast.stmt]) -> bool:
        """The header of a loop around the site binds the name anew when the loop is resumed."""
        loops = [self._parsed(o) for o in self.prepared.layout.outer[site.stmt] if isinstance(o, cst.For)]
        return len(bindings) == 1 and bindings[0] in loops and not _is_cursor(name, bindings[0])


def _changes_itself(method: Function) -> bool:
    """Whether any method of the class, but its `__init__`, changes the object."""
    facts = method.view.facts
    mutation = Mutation(facts)
    return any(
        "self" in mutation.mutated(function.body)
        for name, function in facts.functions.items()
        if name.startswith(f"{method.owner}.") and not name.endswith(".__init__")
    )


def _is_cursor(name: str, loop: ast.stmt) -> bool:
    assert isinstance(loop, ast.For)
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
    return isinstance(first, ast.Name) and first.id == name


def _endless(stmt: cst.CSTNode) -> bool:
    return isinstance(stmt, cst.While) and isinstance(stmt.test, cst.Name) and stmt.test.value == "True"


def _class_of(pattern: ast.pattern) -> str:
    """The class that a pattern takes whole, whatever its attributes hold."""
    if not isinstance(pattern, ast.MatchClass) or pattern.patterns:
        return ""
    if not all(isinstance(p, ast.MatchAs) and p.pattern is None for p in pattern.kwd_patterns):
        return ""
    return pattern.cls.attr if isinstance(pattern.cls, ast.Attribute) else getattr(pattern.cls, "id", "")
