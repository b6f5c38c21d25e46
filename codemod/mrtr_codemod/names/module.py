"""One parsed file: its functions, its classes, and the bindings of each of its scopes."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from mrtr_codemod.names.annotation import classes_of
from mrtr_codemod.names.bindings import Bindings, collect
from mrtr_codemod.names.imports import absolute_name
from mrtr_codemod.names.outline import Place, Scope
from mrtr_codemod.names.reference import Ref, alternatives


class ScopeId(NamedTuple):
    """A scope: its file, its qualified name (`` for the module itself, `f.<locals>.g`) and its `def` line."""

    path: str
    qualname: str
    line: int

    @property
    def display(self) -> str:
        """The name as a reader would say it: `Greenhouse.water`, `plot.wrapper`."""
        return self.qualname.replace(".<locals>", "") or "<module>"


class Parameter(NamedTuple):
    """A parameter of a function: the classes that its annotation names, and its default."""

    name: str
    classes: tuple[Ref, ...]
    default: tuple[Ref, ...]
    positional: bool
    keyword: bool
    variadic: bool = False
    annotated: bool = False


class FunctionInfo(NamedTuple):
    """A function, without its syntax tree."""

    id: ScopeId
    parent: ScopeId
    """The scope that the `def` stands in: a module, a class or a function."""
    owner: ScopeId | None
    """The class whose method it is."""
    parameters: tuple[Parameter, ...]
    decorators: tuple[Ref, ...]
    returns: tuple[Ref, ...]
    is_async: bool
    end_line: int

    @property
    def name(self) -> str:
        return self.id.qualname.rpartition(".")[2]

    @property
    def is_static(self) -> bool:
        return any(ref[-1] == "staticmethod" for ref in self.decorators)

    @property
    def bound_first(self) -> str | None:
        """The name of `self` or `cls`, if the function is a method that gets it."""
        if self.owner is None or self.is_static or not self.parameters:
            return None
        return self.parameters[0].name

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)


@dataclass(frozen=True)
class ClassInfo:
    """A class, without its syntax tree."""

    id: ScopeId
    parent: ScopeId
    bases: tuple[Ref, ...]
    decorators: tuple[Ref, ...]
    methods: dict[str, ScopeId] = field(hash=False)


@dataclass
class Module:
    """A file's scopes. Syntax trees are reached through `Project.tree`, so that they can be let go."""

    path: str
    dotted: str
    functions: dict[ScopeId, FunctionInfo]
    classes: dict[ScopeId, ClassInfo]
    bindings: Bindings
    stars: list[str]
    by_line: dict[int, ScopeId]
    """The function or class whose `def` stands on a line."""
    walrus: bool
    """Whether there is a `:=` in the file at all."""

    @property
    def scope(self) -> ScopeId:
        return ScopeId(self.path, "", 0)

    def enclosing(self, line: int) -> ScopeId:
        """The innermost function that line `line` belongs to, or the module's own scope."""
        for position in range(bisect_right(self._starts, line) - 1, -1, -1):
            info = self._ordered[position]
            if line <= info.end_line:
                return info.id
        return self.scope

    @cached_property
    def _ordered(self) -> list[FunctionInfo]:
        return sorted(self.functions.values(), key=lambda info: info.id.line)

    @cached_property
    def _starts(self) -> list[int]:
        return [info.id.line for info in self._ordered]


def scan(path: str, dotted: str, scopes: dict[Place, Scope], *, walrus: bool) -> Module:
    """Everything about the scopes of a file that does not need the inside of its expressions; see `Module.walrus`."""
    top = scopes["", 0]
    bindings, stars, _ = collect(
        top.statements, lambda level, name: absolute_name(path, dotted, level, name), walrus=walrus
    )
    module = Module(path, dotted, {}, {}, bindings, stars, {}, walrus)
    for (qualname, line), (node, parent, _) in scopes.items():
        if isinstance(node, ast.Module):
            continue
        scope = ScopeId(path, qualname, line)
        parent_id = ScopeId(path, *parent)
        module.by_line[line] = scope
        decorators = tuple(ref for d in node.decorator_list for ref in alternatives(d))
        if isinstance(node, ast.ClassDef):
            bases = tuple(ref for base in node.bases for ref in classes_of(base))
            module.classes[scope] = ClassInfo(scope, parent_id, bases, decorators, {})
            continue
        owner = module.classes.get(parent_id)
        if owner is not None:
            owner.methods[node.name] = scope
        module.functions[scope] = FunctionInfo(
            scope,
            parent_id,
            owner.id if owner is not None else None,
            tuple(_parameters(node.args)),
            decorators,
            classes_of(node.returns),
            isinstance(node, ast.AsyncFunctionDef),
            node.end_lineno or node.lineno,
        )
    return module


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    for argument, default in zip(positional, defaults):  # noqa: B905
        only = argument in arguments.posonlyargs
        yield _parameter(argument, default, positional=True, keyword=not only)
    if arguments.vararg:
        yield _parameter(arguments.vararg, None, positional=False, keyword=False, variadic=True)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):  # noqa: B905
        yield _parameter(argument, default, positional=False, keyword=True)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, None, positional=False, keyword=False, variadic=True)


def _parameter(
    argument: ast.arg, default: ast.expr | None, *, positional: bool, keyword: bool, variadic: bool = False
) -> Parameter:
    return Parameter(
        argument.arg,
        classes_of(argument.annotation),
        tuple(alternatives(default)) if default is not None else (),
        positional,
        keyword,
        variadic,
        argument.annotation is not None,
    )
