"""What a name was defined as: the expression or the class behind it, wherever in the repo it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mrtr_codemod.names.bindings import BindingKind, own_statements
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import ClassValue, InstanceValue, ModuleValue
from mrtr_codemod.project import Project

_DEPTH = 5


class Definition(NamedTuple):
    """A node, and the scope in which its names mean something."""

    node: ast.expr | ast.ClassDef
    scope: ScopeId


class Definitions:
    """Follows names to their one definition; a name with several stays what it is."""

    def __init__(self, project: Project, evaluator: Evaluator) -> None:
        self.project = project
        self.evaluator = evaluator

    def of(self, node: ast.expr, scope: ScopeId) -> Definition:
        """The definition of what an expression names; the expression itself if it is no name or is not
        known."""
        found = Definition(node, scope)
        for _ in range(_DEPTH):
            following = self._step(found)
            if following is None:
                return found
            found = following
            if isinstance(found.node, ast.ClassDef):
                return found
        return found

    def class_of(self, scope: ScopeId) -> Definition | None:
        """The definition of a class of the repo."""
        node = self.project.node(scope)
        info = self.evaluator.class_info(scope)
        return Definition(node, info.parent) if info and isinstance(node, ast.ClassDef) else None

    def _step(self, current: Definition) -> Definition | None:
        node, scope = current
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        values = self.evaluator.values(lower(node), scope)
        classes = [value for value in values if isinstance(value, ClassValue)]
        if len(classes) == 1:
            return self.class_of(classes[0].scope)
        if isinstance(node, ast.Name):
            return self._name(node.id, scope)
        owners = self.evaluator.values(lower(node.value), scope)
        if len(owners) != 1:
            return None
        owner = owners[0]
        if isinstance(owner, ModuleValue):
            return self._global(node.attr, owner.path)
        if isinstance(owner, (ClassValue, InstanceValue)):
            return self._only(node.attr, owner.scope)
        return None

    def _name(self, name: str, scope: ScopeId) -> Definition | None:
        current = scope
        while current.qualname:
            info = self.project.function(current)
            if info is None:
                return None
            bindings, outer = self.project.bindings(current)
            if name not in outer and (name in bindings or info.parameter(name) is not None):
                return self._only(name, current) if info.parameter(name) is None else None
            current = info.parent
        return self._global(name, scope.path)

    def _global(self, name: str, path: str) -> Definition | None:
        module = self.project.module(path)
        bindings = module.bindings.get(name, []) if module else []
        if module is None or len(bindings) != 1:
            return None
        if bindings[0].kind is not BindingKind.IMPORT:
            return self._only(name, module.scope)
        owner, _, last = bindings[0].target.rpartition(".")
        source = self.project.index.find(owner, path) if owner else None
        return self._global(last, source) if source is not None and source != path else None

    def _only(self, name: str, scope: ScopeId) -> Definition | None:
        node = self.project.node(scope)
        if node is None:
            return None
        found = list(_assigned(node.body, name))
        return Definition(found[0], scope) if len(found) == 1 and found[0] is not None else None


def _assigned(body: list[ast.stmt], name: str) -> Iterator[ast.expr | None]:
    """What is assigned to a name in a scope; None for a way of binding that has no expression of its own."""
    for statement in own_statements(body):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    yield statement.value
                elif isinstance(target, (ast.Tuple, ast.List)) and _binds(target, name):
                    yield None
        elif isinstance(statement, ast.AnnAssign):
            if statement.value is not None and _binds(statement.target, name):
                yield statement.value
        elif isinstance(statement, (ast.AugAssign, ast.For, ast.AsyncFor)) and _binds(statement.target, name):
            yield None


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(target))
