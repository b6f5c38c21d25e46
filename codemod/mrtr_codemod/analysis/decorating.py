"""Decorators that make something else of what the decorated function gives: a question has to come through as it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mrtr_codemod.analysis.calls import own_nodes
from mrtr_codemod.names.outline import FunctionNode

_KNOWN = ("mcp", "mcp_types", "fastmcp", "fastmcp_slim", "typing", "typing_extensions", "abc")


def uncalled(decorator: ast.expr) -> ast.expr:
    """A decorator without the arguments that it may be given."""
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def is_known_decorator(origin: str) -> bool:
    """Whether a decorator from outside, by its dotted name or its role, is known to hand on what it gets."""
    return re.split("[.:]", origin, maxsplit=1)[0] in _KNOWN


def changes_result(decorator: FunctionNode) -> bool:
    """Whether a function that the decorator returns does more with a result of what it decorates than hand it on.

    To log it is fine. To convert, keep or drop it is not.
    """
    return any(
        not _hands_on(call, wrapper)
        for wrapper, outer in _inner_functions(decorator, _parameters(decorator))
        for call in own_nodes(wrapper)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in outer
    )


def _inner_functions(function: FunctionNode, outer: set[str]) -> Iterator[tuple[FunctionNode, set[str]]]:
    """The functions inside, each with the parameters of those around it."""
    for node in own_nodes(function):
        if isinstance(node, FunctionNode):
            own = _parameters(node)
            yield node, outer - own
            yield from _inner_functions(node, outer | own)


def _parameters(function: FunctionNode) -> set[str]:
    arguments = function.args
    return {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}


def _hands_on(call: ast.Call, wrapper: FunctionNode) -> bool:
    parents = {child: node for node in own_nodes(wrapper) for child in ast.iter_child_nodes(node)}
    around = parents.get(call)
    if isinstance(around, ast.Await):
        around = parents.get(around)
    if isinstance(around, ast.Return):
        return True
    if not isinstance(around, ast.Assign) or not isinstance(target := around.targets[0], ast.Name):
        return False
    uses = [n for n in own_nodes(wrapper) if isinstance(n, ast.Name) and n.id == target.id]
    return all(isinstance(n.ctx, ast.Store) or _is_looked_at(n, parents) for n in uses)


def _is_looked_at(name: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether it is returned as it is, or passed to a call whose result nobody wants, as that of a logger."""
    node: ast.AST | None = parents.get(name)
    if isinstance(node, ast.Return):
        return True
    while node is not None and not isinstance(node, ast.stmt):
        node = parents.get(node)
    return isinstance(node, ast.Expr)
