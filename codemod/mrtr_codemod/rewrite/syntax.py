"""Small questions about libcst nodes: their source, their `ast`, their calls, parameters and names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from .tree import children_of


def as_ast(node: cst.BaseExpression) -> ast.expr:
    """The same expression as `ast`."""
    return ast.parse(f"({cst.Module([]).code_for_node(node)}\n)", mode="eval").body


def code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def all_params(node: cst.FunctionDef) -> list[cst.Param]:
    params = node.params
    return [*params.posonly_params, *params.params, *params.kwonly_params]


def bound_arguments(
    callee: cst.FunctionDef, call: cst.Call, *, method: bool
) -> dict[str, cst.BaseExpression]:
    """The arguments of a call by the parameter that takes them; starred ones are left out."""
    names = [p.name.value for p in (*callee.params.posonly_params, *callee.params.params)]
    if method and isinstance(call.func, cst.Attribute) and names[:1] in (["self"], ["cls"]):
        names = names[1:]
    bound: dict[str, cst.BaseExpression] = {}
    for index, arg in enumerate(call.args):
        if arg.star:
            break
        if arg.keyword is not None:
            bound[arg.keyword.value] = arg.value
        elif index < len(names):
            bound[names[index]] = arg.value
    return bound


def calls_in(node: cst.CSTNode) -> Iterator[cst.Call]:
    if isinstance(node, cst.Call):
        yield node
    for child in children_of(node):
        yield from calls_in(child)


def raised_in(node: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls behind `raise`, without those of nested functions."""
    if isinstance(node, cst.Raise) and isinstance(node.exc, cst.Call):
        yield node.exc
    if not isinstance(node, (cst.FunctionDef, cst.Lambda)):
        for child in children_of(node):
            yield from raised_in(child)


def names_below(node: cst.CSTNode) -> set[str]:
    """All names below a node; attributes and keywords are none."""
    own = {node.value} if isinstance(node, cst.Name) else set()
    parts = [node.value] if isinstance(node, (cst.Attribute, cst.Arg)) else children_of(node)
    return own.union(*(names_below(part) for part in parts))


def simple_assignments(node: cst.FunctionDef) -> list[tuple[str, cst.BaseExpression]]:
    """`name = value` anywhere in a function, for names that are assigned just once."""
    found: list[tuple[str, cst.BaseExpression]] = []

    def walk(part: cst.CSTNode) -> None:
        if (
            isinstance(part, cst.Assign)
            and len(part.targets) == 1
            and isinstance(part.targets[0].target, cst.Name)
        ):
            found.append((part.targets[0].target.value, part.value))
        for child in children_of(part):
            if not isinstance(child, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
                walk(child)

    walk(node.body)
    names = [name for name, _ in found]
    return [(name, value) for name, value in found if names.count(name) == 1]


def mentions_of(name: str, node: cst.CSTNode) -> int:
    """How often a name occurs below a node, attributes among them."""
    found = int(isinstance(node, cst.Name) and node.value == name)
    return found + sum(mentions_of(name, child) for child in children_of(node))
