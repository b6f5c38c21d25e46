"""A source line and the caret line under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.report.visible import visible, width

if TYPE_CHECKING:
    from mrtr_codemod.model import Span

LIMIT = 120
"""Characters shown of a line; a longer one is cut around the caret."""
_TAB = "    "
_CUT = "…"


def snippet(line: str, span: Span) -> tuple[str, str]:
    """Return the first line of `span` as it is shown, and the carets under what the span covers of it."""
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    end = max(min(end, len(line)), start)
    first = max(0, start - LIMIT // 3) if len(line) > LIMIT else 0
    last = min(len(line), first + LIMIT)
    end = min(end, last)
    before = (_CUT if first else "") + _shown(line[first:start])
    marked = _shown(line[start:end])
    after = _shown(line[end:last]) + (_CUT if last < len(line) else "")
    carets = " " * width(before) + "^" * max(width(marked), 1)
    return (before + marked + after).rstrip(), carets


def _shown(text: str) -> str:
    return visible(text.replace("\t", _TAB))
