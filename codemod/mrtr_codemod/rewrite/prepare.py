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
    numbered = ways.support["numbered"]

    def asking(callee: Function) -> bool:
        return ways.asking(callee) and not ways.restarting(callee)

    node = without_completion(function.node, function)
    groups = TaskGroups(
        lambda expr: isinstance(expr, cst.Call) and view.origin(expr.func) == "asyncio.TaskGroup",
        lambda call: view.is_question(call, function),
    )
    node = groups.gathered(node)
    parsed, _ = pair(node)
    _refuse_oddities(parsed)
    taken = identifiers(parsed) | _globals(view) | set(dir(builtins)) | {numbered}
    fresh = FreshNames(taken)
    own = frozenset(function_locals(parsed))

    def is_raw_ask(expr: cst.BaseExpression) -> bool:
        return bool(view.asks(expr, function)) or asking_call(expr, function, view, ways.asking) is not None

    def is_ask(expr: cst.BaseExpression) -> bool:
        return is_raw_ask(expr) or (isinstance(expr, cst.NamedExpr) and is_raw_ask(expr.value))

    def name_for(expr: cst.BaseExpression) -> str:
        asks = view.asks(expr, function)
        several = len(asks) > 1 or any(ask.each is not None for ask in asks)
        return "answers" if several else _ANSWER_NAMES[asks[0].reads] if asks else "outcome"

    hoister = Hoister(
        is_ask,
        _stability(view, own, frozenset(captured_names(parsed))),
        name_for,
        fresh,
        lambda expr: len(view.asks(expr, function)) > 1,
        Managers(view.origin),
        frozenset(names_in(parsed).binds - own),
    )
    body = cst.ensure_type(node.body, cst.IndentedBlock) if isinstance(node.body, cst.IndentedBlock) else None
    if body is None:
        raise Refusal("one-line-function", "the whole function stands on one line")
    node = node.with_changes(
        body=body.with_changes(body=hoister.block(cast("list[cst.BaseStatement]", body.body)))
    )
    steps = fresh("steps")
    restarter = Restarter(
        function, view, ways.restarting, fresh, steps, dict(ways.support), dict(ways.renamed), ways.width
    )
    node = cast("cst.FunctionDef", node.visit(restarter))
    node = without_leftovers(node, function, view, asking)
    node = spill(node, function, view, asking, fresh, spelled_out)
    node = _with_cursors(node, function, view, asking, fresh, numbered, hoister)
    parsed, pairs = pair(node)
    sites = find_sites(node, function, view, asking)
    refuse_unreached(node, sites, function, view)
    called_here = [site.callee for site in sites if site.callee is not None] + restarter.calls
    refuse_loose_helpers(node, function, called_here, ways.asking)
    types = local_types(parsed, view.facts, answer_types(sites, function, view), function.owner)
    local = frozenset(function_locals(parsed))
    purity = Purity(view.facts, Inference(view.facts, types, function.owner), local)
    names = frozenset(a.arg for a in parameters(parsed))
    layout = Layout.of(node, [site.stmt for site in sites])
    return Prepared(
        function, view, node, parsed, pairs, sites, types, purity, local, names, layout, fresh, steps, restarter.found,
        frozenset(restarter.calls),
    )  # fmt: skip


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


def _with_cursors(
    node: cst.FunctionDef,
    function: Function,
    view: ModuleView,
    asking: Callable[[Function], bool],
    fresh: FreshNames,
    numbered: str,
    hoister: Hoister,
) -> cst.FunctionDef:
    parsed, pairs = pair(node)
    sites = find_sites(node, function, view, asking)
    if not any(isinstance(loop, cst.For) for site in sites for loop in site.loops):
        return node
    types = local_types(parsed, view.facts, answer_types(sites, function, view), function.owner)
    own = frozenset(function_locals(parsed))
    infer = Inference(view.facts, types, function.owner)
    purity = Purity(view.facts, infer, own)

    def reproducible(expr: ast.expr) -> bool:
        names = {n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}
        inside = names_in(expr)
        free = (names & inside.reads) - own
        known = all(purity.constant_name(n) or hasattr(builtins, n) for n in free)
        plain = not any(
            isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
            for n in ast.walk(expr)
        )
        return known and plain and purity.effect_free(expr)

    def steady(iterable: cst.BaseExpression, loop: cst.For) -> bool:
        body = cast("ast.For", pairs[loop][0]).body
        changed = Mutation(view.facts).mutated(body)
        return steady_iterable(
            as_ast(iterable), infer, reproducible, changed, frozenset(names_in(*body).binds)
        )

    loops = Loops(hoister.asks_in, steady, fresh, numbered)
    body = cst.ensure_type(node.body, cst.IndentedBlock)
    return node.with_changes(body=loops.block(body))
