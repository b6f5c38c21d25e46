"""Locals that are set before an ask and needed after it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from mrtr_codemod.analysis.calls import own_nodes
from mrtr_codemod.analysis.view import FunctionView
from mrtr_codemod.analysis.walk import Definition, Loop, Try, With, evaluated, expressions_of
from mrtr_codemod.names.roles import CONNECTIONS, local_part
from mrtr_codemod.names.values import External
from mrtr_codemod.rewrite.flow.liveness import live_locals


@dataclass(frozen=True)
class Local:
    """A live local: its name, the node that binds it, what it is bound to, and its annotation as source."""

    name: str
    node: ast.AST
    value: ast.expr | None
    annotation: str | None


def live_across(view: FunctionView) -> list[tuple[ast.stmt, list[Local]]]:
    """For each statement that asks, the locals bound above it that are read after it.

    Arguments are left out: they come again by themselves.
    A loop is above itself: what it binds on one turn may be read on the next.
    """
    return view.kept("live", lambda: _live_across(view))


def _live_across(view: FunctionView) -> list[tuple[ast.stmt, list[Local]]]:
    statements = [node for node in own_nodes(view.node) if isinstance(node, ast.stmt)]
    asking = [node for node in statements if _asks_directly(view, node)]
    if not asking:
        return []
    liveness = live_locals(view.node)
    bound = _bindings(view)
    loops = [statement for statement in statements if isinstance(statement, Loop)]
    found = []
    for statement in asking:
        needed = liveness.after.get(statement, frozenset()) | _read_later(view, statement)
        names = [
            local
            for name in sorted(needed)
            for local in bound.get(name, ())[:1]
            if not _comes_anew(view, local)
        ]
        found.append((statement, [local for local in names if _above(local.node, statement, loops)]))
    return found


def _comes_anew(view: FunctionView, local: Local) -> bool:
    """Whether a local is there again in each round by itself: a nested function, the context, the session."""
    if isinstance(local.node, Definition):
        return True
    values = view.file.values(local.value, view.scope) if local.value is not None else ()
    return bool(values) and all(isinstance(v, External) and local_part(v.name) in CONNECTIONS for v in values)


def _asks_directly(view: FunctionView, statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise) and view.asks_at(statement):
        return False  # nothing of this call is needed after it
    return any(view.asks_in(expression) for expression in expressions_of(statement))


def _read_later(view: FunctionView, statement: ast.stmt) -> frozenset[str]:
    """What a statement itself reads after its ask, and, if it is compound, what its blocks read."""
    names: set[str] = set()
    asked = False
    for expression in expressions_of(statement):
        for node in evaluated(expression):
            asked = asked or view.asks_at(node)
            if asked and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names.add(node.id)
    if isinstance(statement, (ast.If, ast.Match, *Loop, *With)):
        names |= {
            n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        }
    return frozenset(names)


def _bindings(view: FunctionView) -> dict[str, list[Local]]:
    found: dict[str, list[Local]] = {}
    for node in own_nodes(view.node):
        for name, value, annotation in _bound_by(node):
            found.setdefault(name, []).append(Local(name, node, value, annotation))
    return found


def _bound_by(node: ast.AST) -> list[tuple[str, ast.expr | None, str | None]]:
    if isinstance(node, ast.Assign):
        return [bound for target in node.targets for bound in _targets(target, node.value)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        return [(node.target.id, node.value, ast.unparse(node.annotation))]
    if isinstance(node, (ast.AugAssign, ast.NamedExpr)):
        return _targets(node.target, node.value if isinstance(node, ast.NamedExpr) else None)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return _targets(node.target, None)
    if isinstance(node, With):
        return [
            b
            for item in node.items
            if item.optional_vars
            for b in _targets(item.optional_vars, item.context_expr)
        ]
    if isinstance(node, Definition):
        return [(node.name, None, None)]
    if isinstance(node, Try):
        return [(handler.name, None, None) for handler in node.handlers if handler.name]
    return []


def _targets(target: ast.expr, value: ast.expr | None) -> list[tuple[str, ast.expr | None, str | None]]:
    if isinstance(target, ast.Name):
        return [(target.id, value, None)]
    if isinstance(target, ast.Starred):
        return _targets(target.value, None)
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        matched = len(values) == len(target.elts)
        return [
            b
            for i, element in enumerate(target.elts)
            for b in _targets(element, values[i] if matched else None)
        ]
    return []


def _above(binding: ast.AST, asking: ast.stmt, loops: list[ast.For | ast.AsyncFor | ast.While]) -> bool:
    """Whether a binding may have run before a statement asks: it stands above it, or in a loop around both."""
    if binding is asking:
        return False
    line: int = binding.lineno  # type: ignore[attr-defined]
    if line < asking.lineno:
        return True
    return any(
        loop.lineno <= asking.lineno and max(asking.lineno, line) <= (loop.end_lineno or 0) for loop in loops
    )
