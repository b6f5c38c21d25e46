"""The scopes of one syntax tree and the statements of each, found in one pass."""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeAlias

from mrtr_codemod.names.bindings import own_statements

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Place: TypeAlias = tuple[str, int]
"""The qualified name of a scope and the line of its `def` or `class`; of the module, the empty name and 0."""


class Scope(NamedTuple):
    """A scope, the place of the scope that it stands in, and its statements, those of nested scopes left out."""

    node: ScopeNode
    parent: Place
    statements: list[ast.stmt]


def outline(tree: ast.Module) -> dict[Place, Scope]:
    """All scopes of a file by place, the module's own first."""
    top = Scope(tree, ("", 0), list(own_statements(tree.body)))
    found: dict[Place, Scope] = {("", 0): top}
    stack: list[tuple[Scope, Place]] = [(top, ("", 0))]
    while stack:
        scope, place = stack.pop()
        prefix = _prefix(scope.node, place[0])
        for node in scope.statements:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = (prefix + node.name, node.lineno)
                found[inner] = Scope(node, place, list(own_statements(node.body)))
                stack.append((found[inner], inner))
    return found


def _prefix(node: ScopeNode, qualname: str) -> str:
    if isinstance(node, ast.Module):
        return ""
    return f"{qualname}." if isinstance(node, ast.ClassDef) else f"{qualname}.<locals>."
