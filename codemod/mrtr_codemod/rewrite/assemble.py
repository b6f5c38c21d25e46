"""Put a module together again: changed functions in their places, steps before them, imports, markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from .both_ways import folded, unfolded
from .imports import add_imports, drop_unused
from .module_view import Function, ModuleView
from .refusal import Refusal
from .rewritten import Rewritten
from .support import origin_of

MARK = "# mrtr: manual["
Placed = cst.FunctionDef | cst.ClassDef


@dataclass(frozen=True)
class Assembly:
    """All that changes in one module."""

    view: ModuleView
    done: Mapping[Function, Rewritten]
    twins: Mapping[Function, str]
    """Functions that keep their form beside a twin, of this module and others, and the names of the twins."""
    markers: Mapping[Function, Refusal]
    support_module: str
    both_ways: bool
    support: Mapping[str, str]


def assemble(plan: Assembly) -> str:
    """The source of the changed module; the same text where nothing changes."""
    tree = plan.view.tree.visit(_Changer(plan))
    if plan.done:
        tree = _with_imports(tree, plan)
    return tree.code


class _Changer(cst.CSTTransformer):
    """Swaps functions; new classes go before the statement at module level or in the function around."""

    def __init__(self, plan: Assembly) -> None:
        super().__init__()
        self.plan = plan
        self.by_node = {id(f.node): f for f in plan.view.functions.values()}
        self.pending: list[list[Placed]] = [[]]

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.pending.append([])

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> Placed | cst.FlattenSentinel[Placed]:
        return self._placed(updated_node, self.pending.pop())

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.pending.append([])

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> Placed | cst.FlattenSentinel[Placed]:
        inner = self.pending.pop()
        function = self.by_node.get(id(original_node))
        rewritten = self.plan.done.get(function) if function is not None else None
        if function is not None and rewritten is not None:
            classes = [*inner, *rewritten.added]
            new = rewritten.node
            if function in self.plan.twins:
                twin = new.with_changes(
                    leading_lines=[cst.EmptyLine(indent=False)] * (1 if function.owner else 2)
                )
                return self._placed(updated_node, classes, twin)
            return self._placed(_without_marker(new), classes)
        if function in self.plan.markers:
            updated_node = _marked(updated_node, self.plan.markers[function])  # type: ignore[index]
        return self._placed(updated_node, inner)

    def _placed(
        self, node: Placed, classes: list[Placed], *more: Placed
    ) -> Placed | cst.FlattenSentinel[Placed]:
        """`node` with the classes before it, or handed to the statement around a method."""
        if self._in_class:
            self.pending[-1] += classes
            return cst.FlattenSentinel([node, *more]) if more else node
        if not classes:
            return cst.FlattenSentinel([node, *more]) if more else node
        lead, node = _split_lead(node)
        gap = [cst.EmptyLine(indent=False)] * (2 if len(self.pending) == 1 else 1)
        spaced = [c.with_changes(leading_lines=lead if i == 0 else gap) for i, c in enumerate(classes)]
        return cst.FlattenSentinel(
            [*spaced, node.with_changes(leading_lines=[*gap, *node.leading_lines]), *more]
        )

    @property
    def _in_class(self) -> bool:
        return self._depth_of_class > 0

    _depth_of_class = 0

    def visit_ClassDef_body(self, node: cst.ClassDef) -> None:
        self._depth_of_class += 1

    def leave_ClassDef_body(self, node: cst.ClassDef) -> None:
        self._depth_of_class -= 1


def _split_lead(node: Placed) -> tuple[list[cst.EmptyLine], Placed]:
    """The blank lines above a statement, and the statement with only its comments."""
    lines = list(node.leading_lines)
    lead: list[cst.EmptyLine] = []
    while lines and lines[0].comment is None:
        lead.append(lines.pop(0))
    return lead, node.with_changes(leading_lines=lines)


def _marked(node: cst.FunctionDef, refusal: Refusal) -> cst.FunctionDef:
    """The function with one comment above it that says why it stays."""
    comment = cst.EmptyLine(comment=cst.Comment(f"{MARK}{refusal.rule}] {refusal.reason}"))
    return node.with_changes(leading_lines=[*_without_marker(node).leading_lines, comment])


def _without_marker(node: cst.FunctionDef) -> cst.FunctionDef:
    lines = [
        line for line in node.leading_lines if line.comment is None or not line.comment.value.startswith(MARK)
    ]
    return node.with_changes(leading_lines=lines)


def _with_imports(tree: cst.Module, plan: Assembly) -> cst.Module:
    wanted: dict[str, str] = {}
    for rewritten in plan.done.values():
        for own in rewritten.support:
            wanted[_located(origin_of(own, plan.support_module), plan)] = plan.support[own]
        for origin, name in rewritten.imports.items():
            wanted[_located(origin, plan)] = name
    wanted |= {origin: origin.rpartition(".")[2] for origin in _imported_twins(plan)}
    present = {o.replace("mcp_types.", "mcp.types.") for o in plan.view.facts.imports.values()}
    missing = {origin: name for origin, name in wanted.items() if origin.lstrip(".") not in present}
    if not plan.both_ways:
        return drop_unused(add_imports(tree, missing), plan.view.tree)
    return folded(drop_unused(add_imports(unfolded(tree), missing), plan.view.tree))


def _imported_twins(plan: Assembly) -> list[str]:
    """The twins in other files that the changed functions call by name, as this file imports them."""
    neighbours = plan.view.facts.neighbours
    changed = {f.qualname for f in plan.done}
    return [
        f"{neighbours.spelled(callee.view.facts.dotted)}.{plan.twins[callee]}"
        for (caller, spelled), callee in plan.view.links.items()
        if neighbours is not None and caller in changed and "." not in spelled
        if callee in plan.twins and callee.view is not plan.view
    ]


def _located(origin: str, plan: Assembly) -> str:
    module, _, name = origin.rpartition(".")
    if module != "mrtr_steps":
        return origin
    dots = "" if plan.support_module.endswith(".") else "."
    return f"{plan.support_module}{dots}{name}"
