"""What is left to move by hand: told with its line and with what to do."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Note:
    """One place that could not be moved safely. `line` counts from 1 in the source as it was."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass
class Notes:
    """The notes on one file."""

    _found: set[Note] = field(default_factory=set)

    def add(self, node: ast.expr | ast.stmt | ast.alias | ast.keyword | ast.arg, text: str) -> None:
        self._found.add(Note(node.lineno, text))

    def listed(self) -> tuple[Note, ...]:
        return tuple(sorted(self._found))
