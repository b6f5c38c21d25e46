"""What the lint's analysis says about asks: it follows calls across files, through callbacks and base classes.

The rewrite follows calls within a file. Whatever the analysis sees beyond that is left as it is, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.entries import ROUND_METHODS
from mrtr_codemod.project import Project
from mrtr_codemod.source import SourceFile


@dataclass(frozen=True)
class Entry:
    """A function that a framework calls and that reaches an ask. `name` is its qualified name."""

    name: str
    line: int
    method: str

    @property
    def may_ask(self) -> bool:
        return self.method in ROUND_METHODS


class Followed:
    """The entry points of some files that reach an ask, however far away."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        self._entries: dict[str, list[Entry]] = {}
        for point in Analysis(Project(sources)).entry_points:
            entry = Entry(point.scope.display, point.scope.line, point.fact.method)
            self._entries.setdefault(point.scope.path, []).append(entry)

    def entries(self, path: str) -> list[Entry]:
        """Those of one file, by place."""
        return self._entries.get(path, [])


def entries_of(source: str) -> list[Entry]:
    """The entry points of a single source that reach an ask."""
    return Followed([SourceFile("source.py", source)]).entries("source.py")
