"""A file as the checks see it: decoded text, and for a notebook the cell that each line came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


@dataclass(frozen=True)
class CellLine:
    """Where a line of a notebook stands: its cell's number among all cells, and the line in it, from 1."""

    cell: int
    line: int


@dataclass(frozen=True)
class SourceFile:
    """One Python source, decoded and never imported.

    `path` is relative to where the check was started (absolute when outside of it), with `/` between its
    parts. `text` keeps its newlines as they are and has no byte order mark. For a notebook, `text` is
    its code cells one after the other, and `cells` has an entry for each line; otherwise `cells` is empty.
    """

    path: str
    text: str
    cells: tuple[CellLine, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends, split where Python splits them (not at form feeds or U+2028)."""
        return tuple(line.rstrip("\r\n") for line in _LINE.findall(self.text))

    def line(self, number: int) -> str:
        """Line `number`, from 1; empty when the file has no such line."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def cell_line(self, number: int) -> CellLine | None:
        """The cell and line of line `number` of a notebook, None for an ordinary file."""
        return self.cells[number - 1] if 1 <= number <= len(self.cells) else None
