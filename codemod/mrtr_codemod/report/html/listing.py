"""A handler's source, folded up, with its asks and hazards marked at the side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.model import Level
from mrtr_codemod.report.html.markup import Markup, join, tag

if TYPE_CHECKING:
    from mrtr_codemod.model import Handler
    from mrtr_codemod.report.html.outline import Outline
    from mrtr_codemod.report.outcome import Outcome

_LONGEST = 400
_WIDEST = 400
_ASK = "asks"


def listing(handler: Handler, outline: Outline, outcome: Outcome) -> Markup:
    """Return the source of a handler's function; empty if the function was not found."""
    if outline.function is None:
        return Markup()
    path, source = handler.span.path, outline.source
    marks = _marks(handler)
    last = min(outline.last, outline.head + _LONGEST - 1)
    rows = [
        tag(
            "span",
            {"class": f"line {marks.get(number, '')}".rstrip(), "data-n": outcome.shown_line(path, number)},
            source.line(number)[:_WIDEST],
            "\n",
        )
        for number in range(outline.head, last + 1)
    ]
    if last < outline.last:
        rows.append(tag("span", {"class": "line"}, f"… {outline.last - last:,} more lines\n"))
    name = outcome.lines_name(path, outline.head, outline.last)
    summary = tag("summary", {}, f"Source, {name}")
    code = tag("pre", {"class": "excerpt"}, tag("code", {}, join(rows)))
    return tag("details", {"class": "source"}, summary, code)


def _marks(handler: Handler) -> dict[int, str]:
    """The lines to mark: asks, and hazards by their worst level, which outranks an ask."""
    here = handler.span.path
    places = [(ask.via or (ask.span,))[0] for ask in handler.asks]
    marks = {place.line: _ASK for place in places if place.path == here}
    for level in Level:
        marks |= {
            h.span.line: level.value for h in handler.hazards if h.level is level and h.span.path == here
        }
    return marks
