"""All that a run has to show: the input of every report format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mrtr_codemod.model import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mrtr_codemod.model import Failure, Finding, Handler, Level
    from mrtr_codemod.report.rulebook import RuleDoc
    from mrtr_codemod.source import CellLine, SourceFile
    from mrtr_codemod.triage import Suppressed


@dataclass(frozen=True)
class Outcome:
    """One run. Every sequence is in its final order: by path, then by place.

    `files` counts the files that were looked at, `sources` holds those of them that a finding or handler is
    in, and `rules` has an entry for the code of each finding.
    """

    files: int = 0
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    handlers: tuple[Handler, ...] = ()
    failures: tuple[Failure, ...] = ()
    sources: Mapping[str, SourceFile] = field(default_factory=dict)
    rules: Mapping[str, RuleDoc] = field(default_factory=dict)

    @property
    def asking(self) -> tuple[Handler, ...]:
        """The handlers that have a verdict: those that ask the client for something."""
        return tuple(handler for handler in self.handlers if handler.verdict is not None)

    def line(self, span: Span) -> str:
        """The source line that `span` begins on, empty if the source is not at hand."""
        source = self.sources.get(span.path)
        return source.line(span.line) if source else ""

    def cell_line(self, span: Span) -> CellLine | None:
        """The notebook cell that `span` begins in, None for an ordinary file."""
        source = self.sources.get(span.path)
        return source.cell_line(span.line) if source else None

    def line_name(self, span: Span) -> str:
        """How the report calls the line: `line 12`, or `cell 3 line 2` in a notebook."""
        place = self.cell_line(span)
        return f"line {span.line}" if place is None else f"cell {place.cell} line {place.line}"

    def shown_line(self, path: str, line: int) -> int:
        """The number that a reader sees for a line: in a notebook, the one in its cell."""
        source = self.sources.get(path)
        place = source.cell_line(line) if source else None
        return line if place is None else place.line

    def lines_name(self, path: str, first: int, last: int) -> str:
        """How the report calls several lines: `lines 12-18`, or `cell 3 lines 2-8` in a notebook."""
        name = self.line_name(Span(path, first, 1, last, 1))
        return name if first == last else f"{name.replace('line', 'lines')}-{self.shown_line(path, last)}"

    def place(self, span: Span) -> str:
        """`path:line:column`, or `path:cell 3:line:column` in a notebook."""
        place = self.cell_line(span)
        line = f"{span.line}" if place is None else f"cell {place.cell}:{place.line}"
        return f"{span.path}:{line}:{span.column}"

    def place_from(self, path: str, span: Span) -> str:
        """How to call a place when speaking of `path`: by its line, or in full if it is in another file."""
        return self.line_name(span) if span.path == path else self.place(span)

    def exit_code(self, fail_on: Level | None) -> int:
        """0 clean, 1 findings at or above `fail_on` (None: never), 2 something was not checked."""
        if self.failures:
            return 2
        return int(fail_on is not None and any(found.level.rank >= fail_on.rank for found in self.findings))
