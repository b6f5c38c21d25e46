"""Which paths git ignores: nested .gitignore files, negations, .git/info/exclude and the user's own (gitignore(5))."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from mrtr_codemod.discover.global_excludes import global_excludes
from mrtr_codemod.discover.patterns import compile_patterns

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class _Layer:
    base: str
    """The directory that the patterns are relative to, with a separator at its end."""
    spec: GitIgnoreSpec


@dataclass(frozen=True)
class Ignores:
    """The patterns in force in one directory; deeper files outrank shallower ones."""

    layers: tuple[_Layer, ...] = ()

    def within(self, directory: str) -> Ignores:
        """Return the patterns in force inside `directory`: these, and its own .gitignore."""
        return self.with_file(Path(directory, ".gitignore"), directory)

    def with_file(self, file: Path, base: str) -> Ignores:
        """Return these patterns and those of `file`, relative to `base`; just these without such a file."""
        try:
            text = file.read_text("utf-8", "surrogateescape")
        except OSError:
            return self
        spec = compile_patterns(text.splitlines())
        return Ignores((*self.layers, _Layer(base.rstrip(os.sep) + os.sep, spec))) if spec.patterns else self

    def match(self, path: str, *, is_directory: bool) -> bool:
        """Tell whether git ignores `path`, an absolute path below the directory."""
        for layer in reversed(self.layers):
            relative = path[len(layer.base) :].replace(os.sep, "/")
            ignored = layer.spec.check_file(relative + "/" if is_directory else relative).include
            if ignored is not None:
                return ignored
        return False


def ignores_above(directory: str) -> Ignores:
    """Return the patterns that `directory` inherits from the git work tree it stands in.

    A directory that is ignored itself, and was named all the same, inherits nothing.
    """
    chain = _from_work_tree(directory)
    if not chain:
        return Ignores()
    everywhere = global_excludes(chain[0])
    ignores = Ignores().with_file(everywhere, chain[0]) if everywhere is not None else Ignores()
    ignores = ignores.with_file(Path(chain[0], ".git", "info", "exclude"), chain[0])
    for parent, child in pairwise(chain):
        ignores = ignores.within(parent)
        if ignores.match(child, is_directory=True):
            return Ignores()
    return ignores


def _from_work_tree(directory: str) -> list[str]:
    """List the directories from the top of the work tree down to `directory`; empty outside of one."""
    chain: list[str] = []
    for parent in [Path(directory), *Path(directory).parents]:
        chain.insert(0, str(parent))
        if (parent / ".git").exists():
            return chain
    return []
