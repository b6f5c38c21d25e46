"""Helpers that something else still uses as they are: these stay, and a twin beside each takes the steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import libcst as cst

from .fresh import FreshNames
from .module_view import Function, ModuleView
from .syntax import mentions_of
from .tree import children_of


def twins(
    done: Collection[Function], views: Sequence[ModuleView], used_outside: frozenset[Function]
) -> dict[Function, str]:
    """The helpers among `done` that need a twin, and its name.

    `used_outside` are the helpers that files which are not rewritten along may use.
    """
    helpers = [f for f in done if f.method is None]
    staying = {f for f in helpers if f in used_outside or f.name in _exported(f.view.tree)}
    grown = True
    while grown:  # what stays as it is goes on using what it used
        changed = [f for f in done if f not in staying]
        more = {f for f in helpers if f not in staying and _used_beside(changed, f, views)}
        staying |= more
        grown = bool(more)
    names = FreshNames(set[str]().union(*(view.facts.names for view in views)))
    return {f: names(f"{f.name}_in_steps") for f in helpers if f in staying}


def _used_beside(changed: Iterable[Function], helper: Function, views: Iterable[ModuleView]) -> bool:
    """Whether anything but the changed functions mentions a helper."""
    inside = sum(_uses(helper, f.node, f.view) for f in changed)
    return sum(_uses(helper, view.tree, view) for view in views) > inside


def _uses(helper: Function, node: cst.CSTNode, view: ModuleView) -> int:
    """How often a node of a module mentions a helper, by any name that it has there."""
    origins = view.facts.imports.items()
    names = {helper.name, *(local for local, o in origins if o.rpartition(".")[2] == helper.name)}
    return sum(mentions_of(name, node) - _imported(name, node) for name in names)


def _imported(name: str, node: cst.CSTNode) -> int:
    """How often import lines mention a name."""
    if isinstance(node, (cst.Import, cst.ImportFrom)):
        return mentions_of(name, node)
    return sum(_imported(name, child) for child in children_of(node))


def _exported(tree: cst.Module) -> set[str]:
    """The names in `__all__`."""
    found: set[str] = set()
    for stmt in tree.body:
        for small in stmt.body if isinstance(stmt, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign) and _is_all(small.targets[0].target):
                elements = getattr(small.value, "elements", ())
                found |= {
                    str(e.value.evaluated_value) for e in elements if isinstance(e.value, cst.SimpleString)
                }
    return found


def _is_all(target: cst.BaseExpression) -> bool:
    return isinstance(target, cst.Name) and target.value == "__all__"
