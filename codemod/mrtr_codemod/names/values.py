"""What an access path can stand for."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from mrtr_codemod.names.module import ScopeId


class External(NamedTuple):
    """Something defined outside of the repo, or a public name of an SDK; see `roles` for how it is
    written."""

    name: str


class ModuleValue(NamedTuple):
    """A file of the repo."""

    path: str


class FunctionValue(NamedTuple):
    """A function of the repo; for a bound method, `receiver` is the class of its object."""

    scope: ScopeId
    bound: bool = False


class ClassValue(NamedTuple):
    """A class of the repo."""

    scope: ScopeId


class InstanceValue(NamedTuple):
    """An object of a class of the repo."""

    scope: ScopeId


Value: TypeAlias = External | ModuleValue | FunctionValue | ClassValue | InstanceValue
Values: TypeAlias = tuple[Value, ...]
