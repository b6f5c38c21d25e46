"""Where a name of the repo may be used: the text is the index, so that only such files are parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mrtr_codemod.names.bindings import Binding
from mrtr_codemod.names.module import FunctionInfo, Module, ScopeId
from mrtr_codemod.project import Project
from mrtr_codemod.texts.imports import HERE
from mrtr_codemod.texts.lines import lines_at, lines_with

_CLASS_CALLS = frozenset({"__init__", "__call__", "__aenter__", "__enter__", "__new__", "__post_init__"})


class Mentions:
    """Finds the scopes that may mention a function, each file and name once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._importing = project.survey.importing
        self._seen: set[tuple[str, str]] = set()

    def of(self, info: FunctionInfo) -> Iterator[tuple[str, ScopeId]]:
        """The scopes where a function may be called, passed or registered, each with the name it has
        there."""
        name = spoken_name(info)
        if info.parent.qualname and info.owner is None:
            yield from self._nested(info, name)
            return
        reach = [info.id.path, *self.importers(info.id.path)]
        if info.owner is not None:  # its object may come through a file that does not name the class
            reach += [path for near in list(reach) for path in self.importers(near)]
        for path in dict.fromkeys(reach):
            yield from self._in_file(path, name)

    def named(self, path: str, name: str) -> Iterator[ScopeId]:
        """The scopes that mention a name of the file at `path`, there and in the files that may import it."""
        for near in (path, *self.importers(path)):
            for _, scope in self._in_file(near, name):
                yield scope

    def importers(self, path: str) -> list[str]:
        """The files that have an import of the module at `path`, or of another of that name."""
        parts = path.rpartition(".")[0].split("/")
        package = parts[-1] == "__init__" and len(parts) > 1
        found = self._importing.get(parts[-2] if package else parts[-1], [])
        if package:
            home = path.rpartition("/")[0] + "/"
            found = found + [other for other in self._importing.get(HERE, ()) if other.startswith(home)]
        return [other for other in found if other != path]

    def _nested(self, info: FunctionInfo, name: str) -> Iterator[tuple[str, ScopeId]]:
        """A function inside a function is named only there."""
        module = self.project.module(info.id.path)
        parent = module.functions.get(info.parent) if module else None
        if module is None or parent is None:
            return
        lines = lines_with(self.project.sources[info.id.path].text, name)
        inside = [line for line in lines if parent.id.line <= line <= parent.end_line]
        for scope in scopes_on(module, inside):
            yield name, scope
            for alias in self._aliases(scope, name):
                yield alias, scope

    def _in_file(self, path: str, name: str) -> Iterator[tuple[str, ScopeId]]:
        if (path, name) in self._seen:
            return
        self._seen.add((path, name))
        source = self.project.sources[path]
        lines = lines_with(source.text, name)
        module = self.project.module(path) if lines else None
        if module is None:
            return
        for scope in scopes_on(module, lines):
            yield name, scope
            for alias in self._aliases(scope, name):
                yield alias, scope
                yield from self._in_file(path, alias)
                if not scope.qualname:
                    yield from self._elsewhere(path, alias)
        if name in module.bindings and all(b.target or not b.ref for b in module.bindings[name]):
            yield from self._elsewhere(path, name)

    def _elsewhere(self, path: str, name: str) -> Iterator[tuple[str, ScopeId]]:
        """A name that a module binds may be imported from it."""
        for importer in self.importers(path):
            yield from self._in_file(importer, name)

    def _aliases(self, scope: ScopeId, name: str) -> Iterator[str]:
        """Other names that a scope gives to what it knows as `name`, and containers that it puts it into."""
        for key, bindings in self.project.bindings(scope)[0].items():
            other = key.removesuffix("[]").rpartition(".")[2]
            if other != name and any(_tail(binding) == name for binding in bindings):
                yield other

    def matching(self, path: str, positions: Iterable[int]) -> Iterator[ScopeId]:
        """The innermost scopes of a file that ascending positions in its text belong to."""
        yield from self.on_lines(path, lines_at(self.project.sources[path].text, positions))

    def on_lines(self, path: str, lines: list[int]) -> Iterator[ScopeId]:
        """The innermost scopes that some lines of a file belong to."""
        module = self.project.module(path) if lines else None
        if module is not None:
            yield from scopes_on(module, lines)


def spoken_name(info: FunctionInfo) -> str:
    """The name by which code reaches a function: the class for its `__init__`."""
    if info.name in _CLASS_CALLS and info.owner is not None:
        return info.owner.qualname.rpartition(".")[2]
    return info.name


def scopes_on(module: Module, lines: list[int]) -> list[ScopeId]:
    """The innermost scopes that lines belong to; a `def` line belongs to the scope around it as well."""
    found: dict[ScopeId, None] = {}
    for line in lines:
        found[module.enclosing(line)] = None
        defined = module.functions.get(module.by_line.get(line, module.scope))
        if defined is not None:
            found[defined.parent if defined.owner is None else module.scope] = None
    return [scope for scope in found if not scope.qualname or scope in module.functions]


def _tail(binding: Binding) -> str:
    return binding.ref[-1].lstrip(".") if binding.ref else binding.target.rpartition(".")[2]
