"""Where a name of the repo may be used: the text is the index, so that only such files are parsed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from mrtr_codemod.names.bindings import Binding
from mrtr_codemod.names.module import FunctionInfo, Module, ScopeId
from mrtr_codemod.project import Project

_CLASS_CALLS = frozenset({"__init__", "__call__", "__aenter__", "__enter__", "__new__", "__post_init__"})

_WORD = re.compile(r"\w+")
_RELATIVE = re.compile(r"\s*from\s+\.+\s+import")
_HERE = "."
"""Stands in the index for the package that `from . import x` means."""
_LONGEST = 20_000


class Mentions:
    """Finds the scopes that may mention a function, each file and name once."""

    def __init__(self, project: Project) -> None:
        self.project = project
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

    def importers(self, path: str) -> list[str]:
        """The files that have an import of the module at `path`, or of another of that name."""
        parts = path.rpartition(".")[0].split("/")
        package = parts[-1] == "__init__" and len(parts) > 1
        found = self._importing[parts[-2] if package else parts[-1]]
        if package:
            home = path.rpartition("/")[0] + "/"
            found = found + [other for other in self._importing[_HERE] if other.startswith(home)]
        return [other for other in found if other != path]

    @cached_property
    def _importing(self) -> dict[str, list[str]]:
        """For each word in import statements, the files that have it there."""
        found: dict[str, list[str]] = defaultdict(list)
        for source in self.project.sources.values():
            for word in _imported_words(source.text):
                found[word].append(source.path)
        return found

    def _nested(self, info: FunctionInfo, name: str) -> Iterator[tuple[str, ScopeId]]:
        """A function inside a function is named only there."""
        module = self.project.module(info.id.path)
        parent = module.functions.get(info.parent) if module else None
        if module is None or parent is None:
            return
        lines = _word_lines(self.project.sources[info.id.path].text, name)
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
        lines = _word_lines(source.text, name)
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
        lines = lines_at(self.project.sources[path].text, positions)
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


def _imported_words(text: str) -> set[str]:
    """The names in the import statements of a text; too many for one with such words in its prose."""
    words: set[str] = set()
    position = text.find("import")
    while position >= 0:
        start = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
        head = text[start:position]
        if not head.strip() or head.lstrip().startswith("from"):
            close = text.find(")", position) if "(" in text[position : position + 10] else -1
            end = close if close >= 0 else text.find("\n", position)
            statement = text[start : end if end >= 0 else len(text)]
            if len(statement) < _LONGEST:
                words.update(_WORD.findall(statement))
                if _RELATIVE.match(statement):
                    words.add(_HERE)
        position = text.find("import", position + 6)
    return words


def _tail(binding: Binding) -> str:
    return binding.ref[-1].lstrip(".") if binding.ref else binding.target.rpartition(".")[2]


def _word_lines(text: str, word: str) -> list[int]:
    """The lines on which a word stands. A plain search: far faster than a pattern that begins with `\\b`."""
    positions = []
    position = text.find(word)
    while position >= 0:
        end = position + len(word)
        if not _is_word(text, position - 1) and not _is_word(text, end):
            positions.append(position)
        position = text.find(word, end)
    return lines_at(text, positions)


def _is_word(text: str, position: int) -> bool:
    return 0 <= position < len(text) and (text[position].isalnum() or text[position] == "_")


def lines_at(text: str, positions: Iterable[int]) -> list[int]:
    """The lines, from 1, of ascending positions in a text; each line once."""
    mac = "\r" in text
    lines: list[int] = []
    line, done = 1, 0
    for position in positions:
        passed = text[done:position].replace("\r\n", "\n").replace("\r", "\n") if mac else text
        line += passed.count("\n") if mac else text.count("\n", done, position)
        done = position
        if not lines or lines[-1] != line:
            lines.append(line)
    return lines
