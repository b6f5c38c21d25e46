"""What code calls: the functions of the repo that it leads to, and the words that stand in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import ClassValue, FunctionValue, InstanceValue
from mrtr_codemod.project import Project

Placed: TypeAlias = tuple[ast.AST, ScopeId]
"""A node, and the scope in which its names mean something."""
_DEPTH = 3


class CallTree:
    """Follows calls down, a few functions deep."""

    def __init__(self, project: Project, evaluator: Evaluator) -> None:
        self.project = project
        self.evaluator = evaluator

    def functions(self, nodes: Iterable[ast.AST], scope: ScopeId) -> dict[ScopeId, None]:
        """The functions that calls among `nodes` and below lead to, nearest first."""
        found: dict[ScopeId, None] = {}
        level = [(list(nodes), scope)]
        for _ in range(_DEPTH):
            called = [
                callee for part, where in level for node in part for callee in self._called(node, where)
            ]
            new = [callee for callee in dict.fromkeys(called) if callee not in found]
            found.update(dict.fromkeys(new))
            level = [([node], callee) for callee in new if (node := self.project.node(callee)) is not None]
        return found

    def nodes(self, nodes: Iterable[ast.AST], scope: ScopeId) -> Iterator[Placed]:
        """All nodes in and below `nodes`, and those of the functions they lead to, each with its scope."""
        listed = list(nodes)
        for node in listed:
            yield from ((inner, scope) for inner in ast.walk(node))
        for function in self.functions(listed, scope):
            body = self.project.node(function)
            if body is not None:
                yield from ((inner, function) for inner in ast.walk(body))

    def _called(self, node: ast.AST, scope: ScopeId) -> Iterator[ScopeId]:
        for call in ast.walk(node):
            if not isinstance(call, ast.Call):
                continue
            for value in self.evaluator.values(lower(call.func), scope):
                if isinstance(value, FunctionValue):
                    yield value.scope
                elif isinstance(value, (ClassValue, InstanceValue)):
                    name = "__init__" if isinstance(value, ClassValue) else "__call__"
                    method = self.evaluator.method(value.scope, name)
                    if method is not None:
                        yield method


def words(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names and the one-word strings among nodes."""
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, (ast.arg, ast.keyword)):
            yield node.arg or ""
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value
