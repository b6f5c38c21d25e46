"""A file as the checks see it: decoded text, and for a notebook the cell that each line came from."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrtr_codemod.shelf import Shelf

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


@dataclass(frozen=True)
class CellLine:
    """Where a line of a notebook stands: its cell's number among all cells, and the line in it, from 1.

    `row` is the line of the notebook's own text, which is JSON, that it comes from.
    """

    cell: int
    line: int
    row: int = field(default=1, compare=False)


class SourceFile:
    """One Python source, decoded and never imported.

    `path` is relative to where the check was started (absolute when outside of it), with `/` between its
    parts. `text` keeps its newlines as they are and has no byte order mark. For a notebook, `text` is
    its code cells one after the other, and `cells` has an entry for each line; otherwise `cells` is empty.

    A text that came from a `shelf` may be let go, and is read again there when it is asked for. If it is not the
    same any more, `changed` is true from then on, and there is no text.
    """

    def __init__(
        self, path: str, text: str, cells: tuple[CellLine, ...] = (), shelf: Shelf | None = None
    ) -> None:
        self.path = path
        self.cells = cells
        self.size = sys.getsizeof(text)
        """In bytes of memory: one character that is not Latin makes all of them twice or four times as large."""
        self.changed = False
        self._text: str | None = text
        self._lines: tuple[str, ...] | None = None
        self._shelf = shelf
        if shelf is not None:
            self._hash = hash(text)
            shelf.put(self)

    @property
    def text(self) -> str:
        """The source."""
        if self._text is None:
            self._text = self._read_again()
        return self._text

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines without their ends, split where Python splits them (not at form feeds or U+2028)."""
        if self._lines is None:
            self._lines = tuple(line.rstrip("\r\n") for line in _LINE.findall(self.text))
        return self._lines

    def line(self, number: int) -> str:
        """Line `number`, from 1; empty when the file has no such line."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def cell_line(self, number: int) -> CellLine | None:
        """The cell and line of line `number` of a notebook, None for an ordinary file."""
        return self.cells[number - 1] if 1 <= number <= len(self.cells) else None

    def release(self) -> None:
        """Let the text go, if it can be had again."""
        if self._shelf is not None:
            self._text = self._lines = None
            self._shelf.remove(self)

    def _read_again(self) -> str:
        assert self._shelf is not None
        text = None if self.changed else self._shelf.read_again(self.path)
        if text is None or hash(text) != self._hash:
            self.changed = True
            return ""
        self._shelf.put(self)
        return text
