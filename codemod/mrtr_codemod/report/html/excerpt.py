"""A few lines of source with a part of them marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.report.html.markup import Markup, join, tag

if TYPE_CHECKING:
    from mrtr_codemod.model import Span
    from mrtr_codemod.report.outcome import Outcome

_AROUND = 1
_LONGEST = 6
_WIDEST = 400


def excerpt(span: Span, outcome: Outcome) -> Markup:
    """Return the lines of a span and one around it; long ones are cut. Empty if the source is not at hand."""
    source = outcome.sources.get(span.path)
    if source is None or not source.lines:
        return Markup()
    first = max(1, span.line - _AROUND)
    last = min(len(source.lines), span.end_line + _AROUND, span.line + _LONGEST)
    numbers = [number for number in range(first, last + 1) if _is_shown(number, span, outcome)]
    rows = [_row(number, source.line(number), span, outcome) for number in numbers]
    return tag("pre", {"class": "excerpt"}, tag("code", {}, join(rows)))


def _is_shown(number: int, span: Span, outcome: Outcome) -> bool:
    """Leave out a line around the span that is blank, or in another cell."""
    source = outcome.sources[span.path]
    if not (span.line <= number <= span.end_line or source.line(number).strip()):
        return False
    here, there = source.cell_line(number), source.cell_line(span.line)
    return here is None or there is None or here.cell == there.cell


def _row(number: int, line: str, span: Span, outcome: Outcome) -> Markup:
    marked = span.line <= number <= span.end_line
    attributes = {"class": "line hit" if marked else "line", "data-n": outcome.shown_line(span.path, number)}
    return tag("span", attributes, _marked(line, number, span) if marked else line[:_WIDEST], "\n")


def _marked(line: str, number: int, span: Span) -> Markup:
    indent = len(line) - len(line.lstrip())
    start = span.column - 1 if number == span.line else indent
    end = span.end_column - 1 if number == span.end_line else len(line)
    offset = max(0, start - _WIDEST // 2)
    return join(
        [
            "…" if offset else "",
            line[offset:start],
            tag("mark", {}, line[start : min(end, start + _WIDEST)]),
            line[max(start, end) : max(start, end) + _WIDEST // 2],
        ]
    )
