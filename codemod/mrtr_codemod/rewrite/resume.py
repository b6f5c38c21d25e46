"""What each resume point needs: which locals ride in the state, and which statements are simply evaluated again."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field

import libcst as cst

from .flow.liveness import live_locals, surely_bound
from .flow.memory import Memory
from .flow.mutation import Mutation, bindings_of, escapes, is_fresh
from .flow.scope import names_in, parameters
from .module_view import as_ast
from .prepare import Prepared
from .refusal import Refusal
from .sites import Site, blocks_of
from .valuetypes.carry import Carrier, looks_secret
from .valuetypes.infer import ANSWER
from .valuetypes.model import Type

_IMMUTABLE = frozenset(
    "str int bool float bytes None tuple frozenset decimal.Decimal datetime.datetime datetime.date datetime.time "
    "datetime.timedelta uuid.UUID pathlib.Path pathlib.PurePath pathlib.PurePosixPath".split()
)
_LIVE_CONTEXT = frozenset("session request_context mcp_server fastmcp lifespan_context".split())


@dataclass
class Resumption:
    """The plan for one function. `again` are statements of its blocks that each round evaluates again; `light` tells
    that nothing but such statements stands before its only ask, so no state is needed at all."""

    again: frozenset[cst.CSTNode]
    needed_again: frozenset[str]
    light: bool
    same_tests: frozenset[cst.CSTNode] = frozenset()
    """Conditions that come out the same when a resumed round evaluates them again."""
    refills: frozenset[cst.CSTNode] = frozenset()
    """Statements that put back into memory what another process may have put there."""
    live: dict[Site, frozenset[str]] = field(default_factory=dict)


@dataclass
class Resume:
    """Works out the plan for a prepared function, and fills in the fields of its sites."""

    prepared: Prepared
    carrier: Carrier

    def __post_init__(self) -> None:
        p = self.prepared
        self.liveness = live_locals(p.parsed)
        self.bound = surely_bound(p.parsed, self._covers_every_answer)
        self.mutation = Mutation(p.view.facts)
        self.mutated = self.mutation.mutated(p.parsed.body)
        self.params = {a.arg for a in parameters(p.parsed)}
        self.binders = self._binders()
        self.refills = self._refills()
        self.paths = {site: self._path(site) for site in p.sites}
        self.live = {site: self._live(site) for site in p.sites}

    def plan(self, *, allow_light: bool = True) -> Resumption:
        """The plan; without `allow_light` the one that skips all that ran already.

        Raises:
            Refusal: if a local that is needed can't be carried.
        """
        light = self._light() if allow_light else None
        if light is not None:
            return light
        again = self._again(frozenset(self._candidates(self._deterministic)))
        while True:
            needed: set[str] = set()
            for site in self.prepared.sites:
                site.fields, recomputed = self._fields(site, again)
                needed |= recomputed
            kept = self._without_carried(again)
            if kept == again:
                break
            again = self._again(kept)
        same = self._same_tests(again)
        for stmt in same:
            needed |= names_in(self._parsed(stmt).test).reads & self.prepared.locals  # type: ignore[attr-defined]
        open_names = frozenset(self._with_inputs(needed, again))
        return Resumption(again, open_names, False, frozenset(s.test for s in same), self.refills, self.live)

    def _same_tests(self, again: frozenset[cst.CSTNode]) -> list[cst.If]:
        found = []
        for stmt in self.prepared.pairs:
            sites = [
                s for s in self.prepared.sites if isinstance(stmt, cst.If) and stmt in self._ifs_around(s)
            ]
            if sites and isinstance(stmt, cst.If) and all(self._test_same(stmt, s, again) for s in sites):
                found.append(stmt)
        return found

    def _ifs_around(self, site: Site) -> list[cst.CSTNode]:
        """The `if` and `elif` conditions that a resumed round passes on its way to the site."""
        found: list[cst.CSTNode] = []
        for outer in self.paths[site]:
            while isinstance(outer, cst.If):
                found.append(outer)
                if _holds(outer.body, site.stmt) or outer.orelse is None:
                    break
                outer = outer.orelse
        return found

    def _test_same(self, stmt: cst.If, site: Site, again: frozenset[cst.CSTNode]) -> bool:
        parsed = self._parsed(stmt)
        assert isinstance(parsed, ast.If)
        if not self._same_value(parsed.test):
            return False
        on_path = {id(p) for s in self._before(site) if s in again for p in self._inner(s)}
        for name in names_in(parsed.test).reads & self.prepared.locals:
            if (
                name in self.params
                and name in self.mutated
                and not self._immutable(name)
                and not self._is_context(name)
            ):
                return False
            if not all(id(s) in on_path for s in self._reaching(name, parsed)):
                return False
        return True

    def _covers_every_answer(self, stmt: ast.Match) -> bool:
        """A `match` on an answer with a case for each of accepted, declined and cancelled."""
        subject = self.prepared.purity.type_of(stmt.subject)
        if subject is None or subject.name != ANSWER:
            return False
        open_classes = {"AcceptedElicitation", "DeclinedElicitation", "CancelledElicitation"}
        for case in stmt.cases:
            if case.guard is None:
                patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
                open_classes -= {_class_of(p) for p in patterns}
        return not open_classes

    # ── what is live ──────────────────────────────────────────────────────────────────────────

    def _live(self, site: Site) -> frozenset[str]:
        stmt = self.prepared.pairs[site.stmt][0]
        live = set(self.liveness.after[stmt]) - set(site.targets)
        for expr in site.evaluated:
            live |= names_in(as_ast(expr)).reads
        for outer in self.paths[site]:
            if isinstance(outer, cst.For):
                live |= names_in(self._parsed(outer).iter).reads  # type: ignore[attr-defined]
            elif isinstance(outer, cst.Match):
                live |= self._match_reads(outer)
        for refill in self.refills:
            live |= names_in(self._parsed(refill)).reads
        return frozenset(live & self.prepared.locals)

    def _refills(self) -> frozenset[cst.CSTNode]:
        """Statements `TABLE[key] = value` that each round makes again, since it may run in another process.

        Raises:
            Refusal: if a later round relies on what an earlier one left in memory in any other way.
        """
        p = self.prepared
        memory = Memory(p.view.facts, p.function.owner)
        own = p.locals
        everything = [n for s in p.parsed.body for n in _own_statements(s)]
        refills: set[cst.CSTNode] = set()
        for site in p.sites:
            at = self._parsed(site.stmt)
            before = [s for s in everything if self._may_precede(s, at)]
            after = [s for s in everything if self._may_precede(at, s) and s is not at]
            shared = memory.writes(_simple(before), own) & memory.reads(_simple(after), own)
            for name in sorted(shared):
                refill = self._refill_of(name, site)
                if refill is None:
                    raise Refusal(
                        "process-memory",
                        f"`{name}` is changed before the ask and read after it, maybe in another process: keep it in a store",
                    )
                refills.add(refill)
        return frozenset(refills)

    def _refill_of(self, name: str, site: Site) -> cst.CSTNode | None:
        """The only statement of the module that writes to `name`, if making it again changes nothing."""
        facts = self.prepared.view.facts
        writers = [q for q, f in facts.functions.items() if name in Memory(facts).writes(f.body, frozenset())]
        if writers != [self.prepared.function.qualname]:
            return None
        found = [s for s in self.prepared.pairs if self._is_entry(s, name)]
        stores = [
            n
            for n in ast.walk(self.prepared.parsed)
            if isinstance(n, (ast.Subscript, ast.Call)) and name in Memory(facts)._written(n)
        ]
        top_level = self.prepared.node.body.body
        return (
            found[0]
            if len(found) == 1 and len(stores) == 1 and found[0] in top_level and not site.loops
            else None
        )

    def _is_entry(self, stmt: cst.CSTNode, name: str) -> bool:
        match self.prepared.pairs[stmt]:
            case [ast.Assign(targets=[ast.Subscript(value=ast.Name(id=id), slice=key)], value=value)] if (
                id == name
            ):
                return isinstance(key, ast.Name) and self._same_value(value)
        return False

    def _match_reads(self, stmt: cst.Match) -> set[str]:
        """A resumed round matches again, so the subject and all guards must see what they saw."""
        parsed = self._parsed(stmt)
        assert isinstance(parsed, ast.Match)
        reads = set(names_in(parsed.subject).reads)
        bound: set[str] = set()
        for case in parsed.cases:
            bound |= names_in(case.pattern).binds
            if case.guard is not None:
                if not self._same_value(case.guard):
                    raise Refusal(
                        "evaluation-order", "the guard of a `case` around the ask may differ in a later round"
                    )
                reads |= names_in(case.guard).reads
        if not self._same_value(parsed.subject):
            raise Refusal(
                "evaluation-order", "the subject of a `match` around the ask may differ in a later round"
            )
        inside = names_in(*parsed.cases[0].body, *(s for c in parsed.cases for s in c.body))
        if (reads - bound) & inside.binds:
            raise Refusal("evaluation-order", "a `match` around the ask changes what it matches")
        return reads - bound

    def _parsed(self, stmt: cst.CSTNode) -> ast.stmt:
        return self.prepared.pairs[stmt][0]

    def _path(self, site: Site) -> tuple[cst.CSTNode, ...]:
        """The compound statements around a site, outermost first."""
        found = _path_to(self.prepared.node.body, site.stmt)
        assert found is not None
        return found

    # ── what can be evaluated again ───────────────────────────────────────────────────────────

    def _binders(self) -> dict[str, list[ast.stmt]]:
        """For each local, the innermost statements that bind it (a `for` or `with` by its header)."""
        found: dict[str, list[ast.stmt]] = {}
        for node in (n for s in self.prepared.parsed.body for n in _own_statements(s)):
            for name in _header_binds(node):
                found.setdefault(name, []).append(node)
        return found

    def _reaching(self, name: str, at: ast.stmt) -> list[ast.stmt]:
        """Statements whose binding of `name` may be the one seen at `at`."""
        return [s for s in self.binders.get(name, []) if s is not at and self._may_precede(s, at)]

    def _may_precede(self, first: ast.stmt, second: ast.stmt) -> bool:
        if (first.lineno, first.col_offset) < (second.lineno, second.col_offset):
            return True
        return any(
            isinstance(loop, (ast.For, ast.While))
            and loop.lineno <= second.lineno
            and (loop.end_lineno or 0) >= first.lineno
            and loop is not first
            for loop in ast.walk(self.prepared.parsed)
        ) or (first is second)

    def _candidates(self, judge) -> list[cst.CSTNode]:  # type: ignore[no-untyped-def]
        """Statements on the way to a site that could be evaluated again, judged each by itself."""
        on_way = dict.fromkeys(s for site in self.prepared.sites for s in self._before(site))
        return [stmt for stmt in on_way if all(judge(p) for p in self.prepared.pairs[stmt])]

    def _deterministic(self, stmt: ast.stmt) -> bool:
        """Gives the same value in every round, as far as the statement itself tells."""
        match stmt:
            case ast.Pass() | ast.Import() | ast.ImportFrom() | ast.ClassDef():
                return True
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                outer = [*stmt.decorator_list, *stmt.args.defaults, *filter(None, stmt.args.kw_defaults)]
                return all(isinstance(e, ast.Constant) for e in outer)
            case ast.Expr(value=ast.Constant()):
                return True
            case ast.Assign(targets=targets, value=value):
                return all(_names_only(t) for t in targets) and self._reproducible(value, targets)
            case ast.AnnAssign(target=ast.Name() as target, value=value):
                return value is None or self._reproducible(value, [target])
            case ast.If(test=test, body=body, orelse=orelse):
                return self._same_value(test) and all(self._deterministic(s) for s in [*body, *orelse])
        return False

    def _reproducible(self, value: ast.expr, targets: list[ast.expr]) -> bool:
        if self._live_object(value):
            return True
        names = {n for t in targets for n in names_in(t).binds}
        return self._same_value(value) and not (names & self.mutated)

    def _live_object(self, value: ast.expr) -> bool:
        """An alias for something that every process has: the session, a module's object, what `__init__` set up."""
        if isinstance(value, ast.Call) and isinstance(value.func, (ast.Name, ast.Attribute)):
            origin = self.prepared.view.facts.origin(value.func) or ""
            return origin.endswith(".get_context") or origin == "logging.getLogger"
        parts: list[str] = []
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            return False
        channel = self.prepared.function.channel
        if channel is not None and value.id == channel.context:
            return bool(parts) and parts[-1] in _LIVE_CONTEXT
        if value.id == "self" and self.prepared.function.owner and parts:
            return self._set_up_once(parts[-1])
        if value.id in self.prepared.locals:
            return False
        facts = self.prepared.view.facts
        return value.id in facts.values and not parts

    def _set_up_once(self, attribute: str) -> bool:
        """An attribute that only `__init__` binds."""
        owner = self.prepared.function.owner
        declared = self.prepared.view.facts.classes.get(owner or "")
        if declared is None:
            return False
        for method in declared.body:
            if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and method.name != "__init__":
                for node in ast.walk(method):
                    if (
                        isinstance(node, ast.Attribute)
                        and node.attr == attribute
                        and isinstance(node.ctx, ast.Store)
                    ):
                        return False
        return True

    def _same_value(self, expr: ast.expr) -> bool:
        """Computed from constants and locals alone (which locals qualify is settled by `_again`)."""
        if not self.prepared.purity.effect_free(expr):
            return False
        for node in ast.walk(expr):
            if isinstance(node, ast.Call) and not self._steady_call(node):
                return False
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                channel = self.prepared.function.channel
                if node.value.id == "self" or (channel is not None and node.value.id == channel.context):
                    return False
        for name in names_in(expr).reads - self.prepared.locals:
            known = self.prepared.purity.constant_name(name) or hasattr(builtins, name)
            if not known:
                return False
        return True

    def _steady_call(self, node: ast.Call) -> bool:
        """A call whose result depends on its arguments alone: no function of the module that reads its globals."""
        facts = self.prepared.view.facts
        if isinstance(node.func, ast.Name) and node.func.id in facts.functions:
            function = facts.functions[node.func.id]
            own = names_in(*function.body).binds | {a.arg for a in parameters(function)}
            free = names_in(*function.body).reads - own
            return all(
                self.prepared.purity.constant_name(n) or hasattr(builtins, n) for n in free
            ) and not any(
                isinstance(n, ast.Call) and not self._steady_call(n)
                for s in function.body
                for n in ast.walk(s)
            )
        origin = facts.origin(node.func) or ""
        return not origin.startswith(("os.path.exists", "os.path.is", "os.path.get"))

    def _again(self, candidates: frozenset[cst.CSTNode]) -> frozenset[cst.CSTNode]:
        """Drops candidates that read a local which is not the same in every round, until none is left."""
        current = set(candidates)
        changed = True
        while changed:
            changed = False
            for stmt in list(current):
                around = self._around(stmt)
                bound_here = {id(p) for c in current if self._around(c)[-1] in around for p in self._inner(c)}
                if not all(self._inputs_same(p, bound_here) for p in self._inner(stmt)):
                    current.discard(stmt)
                    changed = True
        return frozenset(current)

    def _around(self, stmt: cst.CSTNode) -> list[cst.BaseSuite]:
        return _blocks_on_path(self.prepared.node.body, stmt)

    def _inner(self, stmt: cst.CSTNode) -> list[ast.stmt]:
        return [n for p in self.prepared.pairs[stmt] for n in _own_statements(p)]

    def _inputs_same(self, stmt: ast.stmt, again: set[int]) -> bool:
        if isinstance(
            stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        ):
            return True
        reads = names_in(*_header(stmt)).reads & self.prepared.locals
        for name in reads:
            if name in self.params and name in self.mutated and not self.binders.get(name):
                if not self._is_context(name):
                    return False
            if not all(id(s) in again for s in self._reaching(name, stmt)):
                return False
        return True

    def _is_context(self, name: str) -> bool:
        channel = self.prepared.function.channel
        return name in ("self", "cls") or (channel is not None and name == channel.context)

    # ── no state at all ───────────────────────────────────────────────────────────────────────

    def _light(self) -> Resumption | None:
        """The plan without state: one ask, and before it only statements that look and may leave early."""
        if len(self.prepared.sites) != 1 or self.refills:
            return None
        site = self.prepared.sites[0]
        needed_after = self.liveness.after[self._parsed(site.stmt)] - set(site.targets)
        again = set(self._again(frozenset(self._candidates(self._deterministic))))
        for stmt in self._before(site):
            if stmt not in again and not self._only_looks(stmt, needed_after):
                return None
            again.add(stmt)
        for outer in self.paths[site]:
            if isinstance(outer, (cst.For, cst.While)) and not _endless(outer):
                return None
        bound_here = {id(p) for c in again for p in self._inner(c)}
        for name in self.live[site]:
            if (
                name in self.params
                and name in self.mutated
                and not self._is_context(name)
                and not self._immutable(name)
            ):
                return None
            if not all(id(s) in bound_here for s in self._reaching(name, self._parsed(site.stmt))):
                return None
        for name in needed_after & self.live[site]:
            if any(not self._deterministic(s) for s in self._reaching(name, self._parsed(site.stmt))):
                return None
        same = self._same_tests(frozenset(again))
        return Resumption(
            frozenset(again),
            frozenset(self.prepared.locals),
            True,
            frozenset(s.test for s in same),
            live=self.live,
        )

    def _before(self, site: Site) -> list[cst.CSTNode]:
        """Statements that stand before the site in the blocks around it."""
        found: list[cst.CSTNode] = []
        for block in _blocks_on_path(self.prepared.node.body, site.stmt):
            for stmt in block.body:
                if stmt is site.stmt or _holds(stmt, site.stmt):
                    break
                found.append(stmt)
        return found

    def _only_looks(self, stmt: cst.CSTNode, needed_after: frozenset[str]) -> bool:
        """No effect when evaluated again, and nothing that the code after the ask relies on."""
        return all(self._looks(p, needed_after) for p in self.prepared.pairs[stmt])

    def _looks(self, stmt: ast.stmt, needed_after: frozenset[str]) -> bool:
        pure = self.prepared.purity.effect_free
        match stmt:
            case ast.If(test=test, body=[ast.Return(value=value)], orelse=[]):
                return pure(test) and (value is None or pure(value))
            case ast.If(
                test=test, body=[ast.Raise(exc=ast.Call(args=args, keywords=[]), cause=None)], orelse=[]
            ):
                return pure(test) and all(pure(a) for a in args)
            case ast.Assign(targets=targets, value=value):
                names = {n for t in targets for n in names_in(t).binds}
                return (
                    all(_names_only(t) for t in targets)
                    and pure(value)
                    and not (names & needed_after)
                    and not (names & self.mutated)
                )
        return False

    # ── what rides in the state ───────────────────────────────────────────────────────────────

    def _fields(self, site: Site, again: frozenset[cst.CSTNode]) -> tuple[dict[str, Type], set[str]]:
        on_path = {id(p) for s in self._before(site) if s in again for p in self._inner(s)}
        at = self._parsed(site.stmt)
        fields: dict[str, Type] = {}
        recomputed: set[str] = set()
        for name in sorted(self.live[site], key=self._first_bound):
            if name in recomputed or self._is_context(name) and name in self.params:
                continue
            reaching = self._reaching(name, at)
            if not reaching:
                if name not in self.params or name not in self.mutated or self._immutable(name):
                    continue
            elif all(id(s) in on_path for s in reaching):
                recomputed.add(name)
                continue
            elif self._loop_gives(name, site, reaching):
                continue
            fields[name] = self._carried(name, site, at)
        return fields, recomputed

    def _first_bound(self, name: str) -> tuple[int, str]:
        stmts = self.binders.get(name, [])
        return (min((s.lineno for s in stmts), default=0), name)

    def _loop_gives(self, name: str, site: Site, reaching: list[ast.stmt]) -> bool:
        """The header of a loop around the site binds the name anew when the loop is resumed."""
        loops = [self._parsed(s) for s in self.paths[site] if isinstance(s, cst.For)]
        return len(reaching) == 1 and reaching[0] in loops and not self._is_cursor(name, reaching[0])

    def _is_cursor(self, name: str, loop: ast.stmt) -> bool:
        assert isinstance(loop, ast.For)
        first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        return isinstance(first, ast.Name) and first.id == name

    def _immutable(self, name: str) -> bool:
        found = self.prepared.types.get(name)
        return found is not None and all(
            m.name in _IMMUTABLE or m.name.startswith("Literal[") for m in found.members
        )

    def _carried(self, name: str, site: Site, at: ast.stmt) -> Type:
        """The type of a local that rides in the state.

        Raises:
            Refusal: if it can't, or must not.
        """
        if looks_secret(name) or self._minted_secret(name):
            raise Refusal(
                "secret-in-state",
                f"`{name}` is needed after the ask and looks like a secret, which must not travel through the client: "
                "keep it on the server and carry a handle",
            )
        if name not in self.bound.get(at, frozenset()):
            raise Refusal(
                "maybe-unbound",
                f"`{name}` is needed after the ask but is not bound on every way to it: bind it first",
            )
        found = self.prepared.types.get(name)
        if found is None:
            raise Refusal(
                "untyped-local", f"`{name}` is needed after the ask and its type can't be told: annotate it"
            )
        objection = self.carrier.objection(found)
        if objection is not None:
            raise Refusal("uncarriable-local", f"`{name}` is needed after the ask, and {objection}")
        self._refuse_shared(name, found)
        return found

    def _minted_secret(self, name: str) -> bool:
        facts = self.prepared.view.facts
        for value in bindings_of(self.prepared.parsed, name):
            for node in ast.walk(value) if value is not None else ():
                if not isinstance(node, ast.Call):
                    continue
                origin = facts.origin(node.func) or ""
                if origin.startswith("secrets."):
                    return True
                inner = facts.functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
                if inner is not None and any(
                    (facts.origin(n) or "").startswith("secrets.")
                    for n in ast.walk(inner)
                    if isinstance(n, (ast.Name, ast.Attribute))
                ):
                    return True
        return False

    def _refuse_shared(self, name: str, found: Type) -> None:
        """A copy must do: the object is not changed in place while something else holds it too."""
        function = self.prepared.parsed
        if name in self._compared_by_identity(found):
            raise Refusal(
                "identity", f"`{name}` is compared by identity after the ask, and a copy is another object"
            )
        if self._immutable(name) or name not in self.mutated:
            return
        values = bindings_of(function, name)
        classes = self.prepared.view.facts.classes
        fresh = all(v is not None and is_fresh(v, classes.__contains__) for v in values) and values
        if name in self.params:
            fresh = not values
        if not fresh or escapes(function, name):
            raise Refusal(
                "shared-object",
                f"`{name}` is changed in place and may be held elsewhere too; what comes back from the state is a copy",
            )

    def _compared_by_identity(self, found: Type) -> set[str]:
        names: set[str] = set()
        for node in ast.walk(self.prepared.parsed):
            if isinstance(node, ast.Compare) and any(isinstance(o, (ast.Is, ast.IsNot)) for o in node.ops):
                sides = [node.left, *node.comparators]
                harmless = any(
                    isinstance(s, ast.Constant) or (isinstance(s, ast.Attribute) and s.attr.isupper())
                    for s in sides
                )
                if not harmless:
                    names |= {s.id for s in sides if isinstance(s, ast.Name)}
        return names

    def _without_carried(self, again: frozenset[cst.CSTNode]) -> frozenset[cst.CSTNode]:
        """A statement that binds what some step brings back must not run over it."""
        carried = {name for site in self.prepared.sites for name in site.fields}
        return frozenset(s for s in again if not (self._binds(s) & carried))

    def _binds(self, stmt: cst.CSTNode) -> set[str]:
        return {n for p in self.prepared.pairs[stmt] for n in names_in(p).binds}

    def _with_inputs(self, names: set[str], again: frozenset[cst.CSTNode]) -> set[str]:
        found = set(names)
        changed = True
        while changed:
            changed = False
            for stmt in again:
                if self._binds(stmt) & found:
                    reads = {
                        n for p in self.prepared.pairs[stmt] for n in names_in(p).reads
                    } & self.prepared.locals
                    changed |= not reads <= found
                    found |= reads
        return found


def _class_of(pattern: ast.pattern) -> str:
    """The class that a pattern takes whole, whatever its attributes hold."""
    if not isinstance(pattern, ast.MatchClass) or pattern.patterns:
        return ""
    if not all(isinstance(p, ast.MatchAs) and p.pattern is None for p in pattern.kwd_patterns):
        return ""
    return pattern.cls.attr if isinstance(pattern.cls, ast.Attribute) else getattr(pattern.cls, "id", "")


def _names_only(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_names_only(e) for e in target.elts)
    return isinstance(target, ast.Name)


def _endless(stmt: cst.CSTNode) -> bool:
    return isinstance(stmt, cst.While) and isinstance(stmt.test, cst.Name) and stmt.test.value == "True"


def _own_statements(stmt: ast.stmt) -> list[ast.stmt]:
    """A statement and those inside it, without those of nested functions."""
    found = [stmt]
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return found
    for child in ast.iter_child_nodes(stmt):
        if isinstance(child, ast.stmt):
            found += _own_statements(child)
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            for inner in child.body:
                found += _own_statements(inner)
    return found


def _simple(stmts: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without the blocks of the compound ones: those are in the list themselves."""
    out: list[ast.stmt] = []
    for stmt in stmts:
        if isinstance(
            stmt, (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Try, ast.Match)
        ):
            out += [ast.Expr(part) for part in _header(stmt) if isinstance(part, ast.expr)]
        else:
            out.append(stmt)
    return out


def _header(stmt: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that are its own, without its blocks."""
    return [
        c
        for c in ast.iter_child_nodes(stmt)
        if not isinstance(c, (ast.stmt, ast.ExceptHandler, ast.match_case))
    ]


def _header_binds(stmt: ast.stmt) -> set[str]:
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {stmt.name}
    if isinstance(stmt, (ast.Import, ast.ImportFrom)):
        return names_in(stmt).binds
    found = names_in(*_header(stmt)).binds
    if isinstance(stmt, ast.Match):
        for case in stmt.cases:
            found |= names_in(case.pattern).binds | (names_in(case.guard).binds if case.guard else set())
    if isinstance(stmt, ast.Try):
        found |= {h.name for h in stmt.handlers if h.name}
    if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name):
        found.add(stmt.target.id)
    return found


def _holds(stmt: cst.CSTNode, target: cst.CSTNode) -> bool:
    return stmt is target or any(_holds(child, target) for child in stmt.children)


def _path_to(suite: cst.BaseSuite, target: cst.CSTNode) -> tuple[cst.CSTNode, ...] | None:
    for stmt in suite.body:
        if stmt is target:
            return ()
        if isinstance(stmt, cst.BaseCompoundStatement) and not isinstance(
            stmt, (cst.FunctionDef, cst.ClassDef)
        ):
            for block, _ in blocks_of(stmt):
                inner = _path_to(block, target)
                if inner is not None:
                    return (stmt, *inner)
    return None


def _blocks_on_path(suite: cst.BaseSuite, target: cst.CSTNode) -> list[cst.BaseSuite]:
    """The blocks around a statement, outermost first."""
    for stmt in suite.body:
        if stmt is target:
            return [suite]
        if isinstance(stmt, cst.BaseCompoundStatement) and not isinstance(
            stmt, (cst.FunctionDef, cst.ClassDef)
        ):
            for block, _ in blocks_of(stmt):
                inner = _blocks_on_path(block, target)
                if inner:
                    return [suite, *inner]
    return []
