"""The names by which code asks: those of the SDKs, and what the repo calls the same.

They tell which calls may be asks, so that the others need not be followed through the files of the repo.
"""

from __future__ import annotations

from collections.abc import Iterator

from mrtr_codemod.names.bindings import Binding, Bindings
from mrtr_codemod.names.module import Module, ScopeId
from mrtr_codemod.names.reference import CALL, ELEMENT, Ref
from mrtr_codemod.names.roles import ASK_METHODS, URL_REQUIRED
from mrtr_codemod.project import Project

_LOOKUPS = frozenset({".get", ".pop"})


class Aliases:
    """Learns names from the scopes that it is shown. It never forgets one, in whatever scope it is met again."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names = {*ASK_METHODS, "elicit_with_validation", "elicit_url", URL_REQUIRED}
        self._givers: set[str] = set()
        """Functions that return an ask."""
        self._shown: dict[ScopeId, int] = {}
        """How many names were known when a scope was looked at."""
        self._told: set[tuple[str, str]] = set()

    def learn(self, scope: ScopeId) -> list[str]:
        """The names that a scope or its module gives to an ask, each only once for a file."""
        module = self._project.module(scope.path)
        if module is None:
            return []
        found = dict.fromkeys([*self._look_at(module.scope, module), *self._look_at(scope, module)])
        new = [name for name in found if (scope.path, name) not in self._told]
        self._told.update((scope.path, name) for name in new)
        return new

    def __len__(self) -> int:
        return len(self._names)

    def mean_ask(self, ref: Ref | None) -> bool:
        """Whether an access path may stand for an ask."""
        if not ref:
            return False
        if ref[-1] == ELEMENT:
            return self.mean_ask(ref[:-1])
        if ref[-1] != CALL:
            return ref[-1].lstrip(".") in self._names
        if len(ref) > 2 and ref[-2] in _LOOKUPS:
            return self.mean_ask(ref[:-2])
        return len(ref) > 1 and ref[-2].lstrip(".") in self._givers

    def _look_at(self, scope: ScopeId, module: Module) -> list[str]:
        found: list[str] = []
        while self._shown.get(scope) != len(self._names):
            self._shown[scope] = len(self._names)
            found = list(self._found(scope, module))
            self._names.update(found)
        return found

    def _found(self, scope: ScopeId, module: Module) -> Iterator[str]:
        yield from self._bound(self._project.bindings(scope)[0])
        function = module.functions.get(scope)
        if function is not None:
            yield from (p.name for p in function.parameters if any(map(self.mean_ask, p.default)))
            if any(map(self.mean_ask, self._project.returned(scope))):
                self._givers.add(function.name)
                yield function.name
        elif not scope.qualname:
            for owner in module.classes:
                yield from self._bound(self._project.bindings(owner)[0])

    def _bound(self, bindings: Bindings) -> Iterator[str]:
        for key, found in list(bindings.items()):
            for binding in found:
                named = bool(binding.target) and _tail(binding) in self._names
                if named or self.mean_ask(binding.ref):
                    name = key.removesuffix(ELEMENT).rpartition(".")[2]
                    if _tail(binding) in self._givers:
                        self._givers.add(name)
                    yield name


def _tail(binding: Binding) -> str:
    return binding.ref[-1].lstrip(".") if binding.ref else binding.target.rpartition(".")[2]
