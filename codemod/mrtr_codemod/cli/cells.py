"""Messages about notebooks: the check counts the lines of the joined source, a reader those of a cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrtr_codemod.model import Finding, Handler
    from mrtr_codemod.source import SourceFile

_LINES = re.compile(r"\bline (\d+(?:, \d+)*)")


def findings_by_cell(findings: Iterable[Finding], sources: Mapping[str, SourceFile]) -> list[Finding]:
    """Return the findings with the lines that their messages name told by cell, where they are in a notebook."""
    return [
        replace(finding, message=_by_cell(finding.message, source)) if source and source.cells else finding
        for finding in findings
        for source in [sources.get(finding.span.path)]
    ]


def handlers_by_cell(handlers: Iterable[Handler], sources: Mapping[str, SourceFile]) -> list[Handler]:
    """Return the handlers with the lines that their reasons and hazards name told by cell."""
    return [
        replace(
            handler,
            reason=_by_cell(handler.reason, source),
            hazards=tuple(findings_by_cell(handler.hazards, sources)),
        )
        if source and source.cells
        else handler
        for handler in handlers
        for source in [sources.get(handler.span.path)]
    ]


def _by_cell(text: str, source: SourceFile) -> str:
    def told(match: re.Match[str]) -> str:
        return ", ".join(_line(int(number), source) for number in match[1].split(", "))

    return _LINES.sub(told, text)


def _line(number: int, source: SourceFile) -> str:
    place = source.cell_line(number)
    return f"line {number}" if place is None else f"cell {place.cell} line {place.line}"
