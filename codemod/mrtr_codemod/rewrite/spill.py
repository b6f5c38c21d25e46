"""Arguments of an ask that must not be evaluated twice get a local of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import libcst as cst

from .flow.purity import Purity
from .flow.scope import function_locals
from .fresh import FreshNames
from .module_view import Function, ModuleView
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
