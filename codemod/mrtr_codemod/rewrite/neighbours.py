"""What the imports of a file lead to in the other files of its project."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from itertools import takewhile

from mrtr_codemod.names.imports import absolute_name
from mrtr_codemod.project import Project

from .facts import Facts, facts_of

_LONGEST_CHAIN = 10
"""Files that a name may be handed on through by imports."""


@dataclass
class Files:
    """The facts of the files of a project, each read when something imported from it is looked at."""

    project: Project
    _known: dict[str, Facts | None] = field(default_factory=dict)
    _by_name: dict[str, str] = field(default_factory=dict)

    def place(self, facts: Facts, path: str, tree: ast.Module) -> None:
        """Tell the facts of the file at `path` about the files around it."""
        facts.dotted = self.project.index.dotted_name(path)
        facts.neighbours = _Imports(self, path, facts.dotted, tree)
        self._by_name[facts.dotted] = path

    def at(self, path: str) -> Facts | None:
        """The facts of a file; None if it can't be parsed."""
        if path not in self._known:
            tree = self.project.tree(path)
            facts = self._known[path] = facts_of(tree) if tree is not None else None
            if facts is not None and tree is not None:
                self.place(facts, path, tree)
        return self._known[path]

    def named(self, module: str) -> Facts | None:
        """The facts of a file that was read before, by its full dotted name."""
        path = self._by_name.get(module)
        return self.at(path) if path is not None else None


class _Imports:
    """The imports of one file."""

    def __init__(self, files: Files, path: str, dotted: str, tree: ast.Module) -> None:
        self.files = files
        self.path = path
        self.dotted = dotted
        self._absolute: dict[str, str] = {}
        """From a module as an import spells it, without leading dots, to its full name."""
        self._spelled: dict[str, str] = {}
        """From the full name of a module to how it is spelled, dots included."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                full = absolute_name(path, dotted, node.level, node.module)
                self._absolute[node.module or ""] = full
                self._spelled[self._full(full)] = "." * node.level + (node.module or "")
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self._spelled.setdefault(self._full(alias.name), alias.name)

    def _full(self, module: str) -> str:
        """The full name of a module that is imported by a shorter one, past a folder that is no package to it."""
        index = self.files.project.index
        found = index.find(module, self.path)
        return index.dotted_name(found) if found is not None else module

    def find(self, origin: str) -> tuple[Facts, str] | None:
        return self._find(origin, _LONGEST_CHAIN)

    def spelled(self, module: str) -> str:
        relative = any(s.startswith(".") for s in self._spelled.values())
        return self._spelled.get(module) or (self._relative(module) if relative else self._absolutely(module))

    def _absolutely(self, module: str) -> str:
        """A module by its name, without the folders that the other imports of this file leave out."""
        for full, spelled in self._spelled.items():
            left_out = full.removesuffix(spelled)
            if left_out not in ("", full) and module.startswith(left_out):
                return module.removeprefix(left_out)
        return module

    def _relative(self, module: str) -> str:
        """A module of the same package, counted from this file."""
        home = self.dotted.split(".")
        if not self.path.endswith("__init__.py"):
            home.pop()
        wanted = module.split(".")
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(home, wanted, strict=False))))
        dots = "." * (len(home) - shared + 1)
        return dots + ".".join(wanted[shared:]) if shared else module

    def _find(self, origin: str, room: int) -> tuple[Facts, str] | None:
        if ":" in origin:
            module, _, name = origin.partition(":")
            home = self.files.named(module)
        else:
            module, _, name = origin.rpartition(".")
            path = self.files.project.index.find(self._absolute.get(module, module), self.path)
            home = self.files.at(path) if path is not None else None
        if home is None or name in home.classes or name in home.functions or name in home.values:
            return (home, name) if home is not None else None
        further = home.imports.get(name)
        if further is None or not room or not isinstance(home.neighbours, _Imports):
            return None
        return home.neighbours._find(further, room - 1)
