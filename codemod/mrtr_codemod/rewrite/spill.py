"""Arguments of an ask that must not be evaluated twice get a local of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import cast

import libcst as cst

from .flow.purity import Purity
from .flow.scope import function_locals
from .fresh import FreshNames
from .module_view import Function, ModuleView
from .refusal import Refusal
from .shape.pairing import pair
from .sites import Site, answer_types, find_sites
from .syntax import as_ast, code
from .tree import Swap
from .valuetypes.infer import Inference
from .valuetypes.local import local_types


def spill(
    node: cst.FunctionDef,
    function: Function,
    view: ModuleView,
    asking: Callable[[Function], bool],
    fresh: FreshNames,
    spelled_out: frozenset[str],
) -> cst.FunctionDef:
    """Arguments of an ask that must not be evaluated twice get a local of their own, in order."""
    parsed, _ = pair(node)
    sites = find_sites(node, function, view, asking)
    types = local_types(parsed, view.facts, answer_types(sites, function, view), function.owner)
    purity = Purity(
        view.facts, Inference(view.facts, types, function.owner), frozenset(function_locals(parsed))
    )
    swaps: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
    for site in sites:
        new = _spilled_site(site, purity, fresh, spelled_out)
        if len(new) > 1:
            swaps[site.stmt] = new
    return cast("cst.FunctionDef", node.visit(_Insert(swaps))) if swaps else node


def _spilled_site(
    site: Site, purity: Purity, fresh: FreshNames, spelled_out: frozenset[str]
) -> list[cst.BaseStatement]:
    if site.asks and site.asks[0].each is not None:
        return _for_each(site, site.asks[0].each, purity, fresh)
    named = _named_arguments(site)
    repeatable = [purity.effect_free(as_ast(value)) and code(value) not in spelled_out for _, value in named]
    if all(repeatable):
        return [site.stmt]
    last = max(i for i, fine in enumerate(repeatable) if not fine)
    before: list[cst.BaseStatement] = []
    swaps: dict[cst.CSTNode, cst.CSTNode] = {}
    for index, (name, value) in enumerate(named):
        simple = isinstance(value, (cst.Name, cst.SimpleString, cst.Integer))
        if index > last or (repeatable[index] and (simple or index == last)):
            continue
        local = fresh("question" if name == "message" else name)
        before.append(cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(local))], value)]))
        swaps[value] = cst.Name(local)
    stmt = cast("cst.SimpleStatementLine", site.stmt.visit(Swap(swaps)))
    before[0] = cast("cst.SimpleStatementLine", before[0]).with_changes(leading_lines=stmt.leading_lines)
    return [*before, stmt.with_changes(leading_lines=())]


def _for_each(site: Site, each: cst.CompFor, purity: Purity, fresh: FreshNames) -> list[cst.BaseStatement]:
    """The items that a question is asked for each of are kept in a list, if they may come out otherwise later."""
    inside = [*site.asks[0].evaluated(), *(condition.test for condition in each.ifs)]
    if not all(purity.effect_free(as_ast(part)) for part in inside):
        raise Refusal(
            "evaluation-order", "the questions that are asked together are not built by looking alone"
        )
    if not each.ifs and _lasting(as_ast(each.iter), purity):
        return [site.stmt]
    local = fresh("items")
    listed: cst.BaseExpression = cst.Call(cst.Name("list"), [cst.Arg(each.iter)])
    if each.ifs:
        item = cst.parse_expression(
            f"({code(each.target)})" if isinstance(each.target, cst.Tuple) else code(each.target)
        )
        listed = cst.ListComp(item, each)
    before = cst.SimpleStatementLine(
        [cst.Assign([cst.AssignTarget(cst.Name(local))], listed)], leading_lines=site.stmt.leading_lines
    )
    over = each.with_changes(iter=cst.Name(local), ifs=())
    stmt = cast("cst.SimpleStatementLine", site.stmt.visit(Swap({each: over})))
    return [before, stmt.with_changes(leading_lines=())]


def _lasting(items: ast.expr, purity: Purity) -> bool:
    """A local list or tuple, which is the same whenever the state brings it back."""
    found = purity.type_of(items)
    return (
        isinstance(items, ast.Name)
        and items.id in purity.local
        and found is not None
        and found.name in ("list", "tuple")
    )


def _named_arguments(site: Site) -> list[tuple[str, cst.BaseExpression]]:
    if site.call is not None and site.callee is not None:
        by_value = {id(v): n for n, v in site.callee.arguments(site.call).items()}
        return [(by_value.get(id(a.value), "argument"), a.value) for a in site.call.args]
    found = []
    for ask in site.asks:
        kept = {id(v) for v in ask.evaluated()}
        found += [(name, value) for name, value in ask.arguments.items() if id(value) in kept]
    return found


class _Insert(cst.CSTTransformer):
    def __init__(self, swaps: dict[cst.CSTNode, list[cst.BaseStatement]]) -> None:
        super().__init__()
        self.swaps = swaps

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        new = self.swaps.get(original_node)
        return updated_node if new is None else cst.FlattenSentinel(new)
