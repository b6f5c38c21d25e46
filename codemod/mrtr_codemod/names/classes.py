"""The classes of a repo: their bases, methods and attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from typing import TypeAlias

from mrtr_codemod.names.bindings import Binding
from mrtr_codemod.names.module import ClassInfo, ScopeId
from mrtr_codemod.names.reference import Ref
from mrtr_codemod.names.values import ClassValue, External, Values
from mrtr_codemod.project import Project

AttributeBindings: TypeAlias = "dict[str, list[tuple[Binding, ScopeId]]]"
_MOST_ANCESTORS = 40


class Classes(ABC):
    """What can be asked about a class, given what the names of its bases stand for."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._attributes: dict[ScopeId, AttributeBindings] = {}

    @abstractmethod
    def values(self, ref: Ref | None, scope: ScopeId) -> Values:
        """What `ref` stands for in `scope`."""

    def class_info(self, scope: ScopeId) -> ClassInfo | None:
        """The class whose scope this is."""
        module = self.project.module(scope.path)
        return module.classes.get(scope) if module else None

    def external_bases(self, scope: ScopeId) -> list[str]:
        """The classes outside of the repo that a class derives from, through all of its own bases."""
        return [value.name for value in self.ancestors(scope) if isinstance(value, External)]

    def is_plain_data(self, scope: ScopeId) -> bool:
        """Whether making an object of the class does no more than keep what it is given."""
        info = self.class_info(scope)
        if info is None or {"__init__", "__new__", "__post_init__", "model_post_init"} & info.methods.keys():
            return False
        bases = {base.rpartition(".")[2].rpartition(":")[2] for base in self.external_bases(scope)}
        decorators = {step.lstrip(".") for ref in info.decorators for step in ref}
        return bool(bases & {"BaseModel", "NamedTuple"} or "dataclass" in decorators)

    def method(self, scope: ScopeId, name: str) -> ScopeId | None:
        """The method `name` of a class of the repo, its bases included."""
        for value in self.ancestors(scope):
            info = self.class_info(value.scope) if isinstance(value, ClassValue) else None
            if info and name in info.methods:
                return info.methods[name]
        return None

    def ancestors(self, scope: ScopeId) -> list[ClassValue | External]:
        """A class and its bases, nearest first."""
        found: dict[ClassValue | External, None] = {}
        queue: list[ClassValue | External] = [ClassValue(scope)]
        while queue and len(found) < _MOST_ANCESTORS:
            current = queue.pop(0)
            if current in found:
                continue
            found[current] = None
            info = self.class_info(current.scope) if isinstance(current, ClassValue) else None
            for ref in info.bases if info else ():
                values = self.values(ref, info.parent) if info else ()
                queue.extend(value for value in values if isinstance(value, (ClassValue, External)))
        return list(found)

    def attribute_bindings(self, owner: ScopeId) -> AttributeBindings:
        """How the attributes of a class are bound, in its body and on `self` in its methods, each with its scope."""
        known = self._attributes.get(owner)
        if known is not None:
            return known
        found: AttributeBindings = defaultdict(list)
        for name, bindings in self.project.bindings(owner)[0].items():
            found[name].extend((binding, owner) for binding in bindings)
        info = self.class_info(owner)
        for method in info.methods.values() if info else ():
            function = self.project.function(method)
            prefix = f"{function.bound_first}." if function and function.bound_first else None
            if prefix is None:
                continue
            for key, bindings in self.project.bindings(method)[0].items():
                if key.startswith(prefix):
                    found[key[len(prefix) :]].extend((binding, method) for binding in bindings)
        self._attributes[owner] = found
        return found
