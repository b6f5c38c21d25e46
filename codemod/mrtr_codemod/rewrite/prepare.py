"""Bring one function into the form that can be cut: every ask a statement, every asking loop with a cursor."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import libcst as cst

from .asks import Reads
from .facts import FunctionNode, identifiers
from .flow.layout import Layout
from .flow.mutation import Mutation
from .flow.purity import Purity
from .flow.scope import captured_names, function_locals, names_in, parameters
from .fresh import FreshNames
from .leftovers import without_completion, without_leftovers
from .module_view import Function, ModuleView
from .refusal import Refusal
from .restarts import Restarter
from .shape.hoist import Hoister
from .shape.loops import Loops, steady_iterable
from .shape.managers import Managers
from .shape.pairing import Pairs, pair
from .shape.together import TaskGroups
from .sites import Site, answer_types, asking_call, find_sites, refuse_loose_helpers, refuse_unreached
from .spill import spill
from .syntax import as_ast
from .valuetypes.carry import IMMUTABLE
from .valuetypes.infer import Inference
from .valuetypes.local import local_types
from .valuetypes.model import Type

_READS_FRAME = {"locals", "eval", "exec", "vars", "dir"}
_ANSWER_NAMES = {
    Reads.FORM: "answer", Reads.URL: "consent", Reads.RAW: "answer", Reads.SAMPLE: "reply",
    Reads.SAMPLE_TOOLS: "reply", Reads.ROOTS: "listed",
}  # fmt: skip


def _immutable(found: Type) -> bool:
    if found.name in ("|", "tuple", "frozenset"):
        return all(_immutable(arg) for arg in found.args)
    return found.name in IMMUTABLE or found.name.startswith("Literal[") or found.name == "..."


@dataclass(frozen=True)
class Ways:
    """How the functions of the module ask. `asking` ones ask in any way; of those, `restarting` ones only end their
    calls for good. `renamed` have another name for rewritten callers; `support` names what the code imports."""

    asking: Callable[[Function], bool]
    restarting: Callable[[Function], bool]
    renamed: Mapping[Function, str]
    support: Mapping[str, str]
    width: int


@dataclass
class Prepared:
    """A function ready to be cut, in both trees, with what is known about it."""

    function: Function
    view: ModuleView
    node: cst.FunctionDef
    parsed: FunctionNode
    pairs: Pairs
    sites: list[Site]
    types: dict[str, Type]
    purity: Purity
    locals: frozenset[str]
    parameters: frozenset[str]
    layout: Layout
    fresh: FreshNames
    steps: str
    """The local that holds this round's steps."""
    restarts: bool
    """Whether it ends calls that are then begun anew."""
    restarting_callees: frozenset[Function]

    def is_immutable(self, name: str) -> bool:
        """Whether values of the local's type can't be changed in place."""
        found = self.types.get(name)
        return found is not None and _immutable(found)


def prepare(
    function: Function,
    view: ModuleView,
    ways: Ways,
    spelled_out: frozenset[str] = frozenset(),
) -> Prepared:
    """Prepare a function. Questions in `spelled_out` (by their source) get a local of their own.

    Raises:
        Refusal: if an ask can't be brought into that form.
    """
    return _Preparation(function, view, ways).run(spelled_out)


@dataclass(frozen=True)
class _Preparation:
    """The passes over one function, each from one tree to the next."""

    function: Function
    view: ModuleView
    ways: Ways

    def run(self, spelled_out: frozenset[str]) -> Prepared:
        node = self._gathered()
        parsed, _ = pair(node)
        _refuse_oddities(parsed)
        fresh = FreshNames(self._taken(parsed))
        hoister = self._hoister(parsed, fresh)
        node = _hoisted(node, hoister)
        steps = fresh("steps")
        restarter = self._restarter(fresh, steps)
        node = cast("cst.FunctionDef", node.visit(restarter))
        node = without_leftovers(node, self.function, self.view, self._is_asking)
        node = spill(node, self.function, self.view, self._is_asking, fresh, spelled_out)
        node = self._with_cursors(node, fresh, hoister)
        return self._read(node, fresh, steps, restarter)

    def _is_asking(self, callee: Function) -> bool:
        """Whether a call of it may end with a question and go on from there."""
        return self.ways.asking(callee) and not self.ways.restarting(callee)

    def _gathered(self) -> cst.FunctionDef:
        groups = TaskGroups(
            lambda expr: isinstance(expr, cst.Call) and self.view.origin(expr.func) == "asyncio.TaskGroup",
            lambda call: self.view.is_question(call, self.function),
        )
        return groups.gathered(without_completion(self.function.node, self.function))

    def _taken(self, parsed: FunctionNode) -> set[str]:
        return identifiers(parsed) | _globals(self.view) | set(dir(builtins)) | {self._numbered}

    @property
    def _numbered(self) -> str:
        return self.ways.support["numbered"]

    # ── asks become statements ────────────────────────────────────────────────────────────────

    def _hoister(self, parsed: FunctionNode, fresh: FreshNames) -> Hoister:
        own = frozenset(function_locals(parsed))
        return Hoister(
            self._is_ask,
            _stability(self.view, own, frozenset(captured_names(parsed))),
            self._name_for,
            fresh,
            lambda expr: len(self.view.asks(expr, self.function)) > 1,
            Managers(self.view.origin),
            frozenset(names_in(parsed).binds - own),
        )

    def _is_ask(self, expr: cst.BaseExpression) -> bool:
        return self._is_raw_ask(expr) or (isinstance(expr, cst.NamedExpr) and self._is_raw_ask(expr.value))

    def _is_raw_ask(self, expr: cst.BaseExpression) -> bool:
        if self.view.asks(expr, self.function):
            return True
        return asking_call(expr, self.function, self.view, self.ways.asking) is not None

    def _name_for(self, expr: cst.BaseExpression) -> str:
        asks = self.view.asks(expr, self.function)
        several = len(asks) > 1 or any(ask.each is not None for ask in asks)
        return "answers" if several else _ANSWER_NAMES[asks[0].reads] if asks else "outcome"

    def _restarter(self, fresh: FreshNames, steps: str) -> Restarter:
        ways = self.ways
        return Restarter(
            self.function,
            self.view,
            ways.restarting,
            fresh,
            steps,
            dict(ways.support),
            dict(ways.renamed),
            ways.width,
        )

    # ── loops get cursors ─────────────────────────────────────────────────────────────────────

    def _with_cursors(self, node: cst.FunctionDef, fresh: FreshNames, hoister: Hoister) -> cst.FunctionDef:
        sites = find_sites(node, self.function, self.view, self._is_asking)
        if not any(isinstance(loop, cst.For) for site in sites for loop in site.loops):
            return node
        loops = Loops(hoister.asks_in, self._steadiness(node, sites), fresh, self._numbered)
        body = cst.ensure_type(node.body, cst.IndentedBlock)
        return node.with_changes(body=loops.block(body))

    def _steadiness(
        self, node: cst.FunctionDef, sites: list[Site]
    ) -> Callable[[cst.BaseExpression, cst.For], bool]:
        """Whether what a loop goes over is the same again in a later round."""
        parsed, pairs = pair(node)
        own = frozenset(function_locals(parsed))
        infer = Inference(self.view.facts, self._types(parsed, sites), self.function.owner)
        purity = Purity(self.view.facts, infer, own)

        def steady(iterable: cst.BaseExpression, loop: cst.For) -> bool:
            body = cast("ast.For", pairs[loop][0]).body
            changed = Mutation(self.view.facts).mutated(body)
            return steady_iterable(
                as_ast(iterable),
                infer,
                lambda expr: _reproducible(expr, purity, own),
                changed,
                frozenset(names_in(*body).binds),
            )

        return steady

    def _types(self, parsed: FunctionNode, sites: list[Site]) -> dict[str, Type]:
        answers = answer_types(sites, self.function, self.view)
        return local_types(parsed, self.view.facts, answers, self.function.owner)

    # ── what is known of the outcome ──────────────────────────────────────────────────────────

    def _read(self, node: cst.FunctionDef, fresh: FreshNames, steps: str, restarter: Restarter) -> Prepared:
        function, view = self.function, self.view
        parsed, pairs = pair(node)
        sites = find_sites(node, function, view, self._is_asking)
        refuse_unreached(node, sites, function, view)
        called_here = [site.callee for site in sites if site.callee is not None] + restarter.calls
        refuse_loose_helpers(node, function, called_here, self.ways.asking)
        types = self._types(parsed, sites)
        local = frozenset(function_locals(parsed))
        return Prepared(
            function=function,
            view=view,
            node=node,
            parsed=parsed,
            pairs=pairs,
            sites=sites,
            types=types,
            purity=Purity(view.facts, Inference(view.facts, types, function.owner), local),
            locals=local,
            parameters=frozenset(a.arg for a in parameters(parsed)),
            layout=Layout.of(node, [site.stmt for site in sites]),
            fresh=fresh,
            steps=steps,
            restarts=restarter.found,
            restarting_callees=frozenset(restarter.calls),
        )


def _hoisted(node: cst.FunctionDef, hoister: Hoister) -> cst.FunctionDef:
    if not isinstance(node.body, cst.IndentedBlock):
        raise Refusal("one-line-function", "the whole function stands on one line")
    statements = hoister.block(cast("list[cst.BaseStatement]", node.body.body))
    return node.with_changes(body=node.body.with_changes(body=statements))


def _reproducible(expr: ast.expr, purity: Purity, own: frozenset[str]) -> bool:
    """Whether an expression gives the same again, computed anew in another process."""
    names = {n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}
    free = (names & names_in(expr).reads) - own
    known = all(purity.constant_name(n) or hasattr(builtins, n) for n in free)
    plain = not any(
        isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
        for n in ast.walk(expr)
    )
    return known and plain and purity.effect_free(expr)


def _globals(view: ModuleView) -> set[str]:
    facts = view.facts
    return {*facts.imports, *facts.values, *facts.annotations, *facts.classes, *facts.functions}


def _refuse_oddities(parsed: FunctionNode) -> None:
    for node in ast.walk(parsed):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _READS_FRAME
            and not node.args
        ):
            raise Refusal(
                "reads-frame", f"`{node.func.id}()` sees every local, also those that the rewrite adds"
            )
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            raise Refusal("generator", "a generator can't be ended in the middle and entered again")


def _stability(
    view: ModuleView, own: frozenset[str], captured: frozenset[str]
) -> Callable[[cst.BaseExpression], bool]:
    purity = Purity(view.facts)
    module_names = _globals(view)

    def stable(node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            if node.id in own:
                return node.id not in captured
            return purity.constant_name(node.id) or (
                hasattr(builtins, node.id) and node.id not in module_names
            )
        if isinstance(node, ast.Attribute):
            return stable(node.value)
        allowed = (
            ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.BinOp, ast.Compare, ast.UnaryOp, ast.BoolOp,
            ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context, ast.Starred, ast.Subscript, ast.Slice,
        )  # fmt: skip
        return isinstance(node, allowed) and all(stable(child) for child in ast.iter_child_nodes(node))

    def settled(expr: cst.BaseExpression) -> bool:
        node = as_ast(expr)
        # A module's object stays the same object, whatever becomes of its content.
        return stable(node) or (
            isinstance(node, ast.Name) and node.id not in own and node.id in view.facts.values
        )

    return settled
