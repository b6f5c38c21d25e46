"""The findings, file by file, each with its source."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from mrtr_codemod.report.html.excerpt import excerpt
from mrtr_codemod.report.html.markup import Markup, join, prose, tag
from mrtr_codemod.report.html.overview import SLUGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mrtr_codemod.model import Finding, Span
    from mrtr_codemod.report.html.anchors import Anchors
    from mrtr_codemod.report.outcome import Outcome
    from mrtr_codemod.triage import Suppressed


def findings(outcome: Outcome, anchors: Anchors) -> Markup:
    """Return the sections of the findings that count and of the suppressed ones."""
    writer = _Writer(outcome, anchors)
    active = [
        writer.file(path, found) for path, found in groupby(outcome.findings, key=lambda f: f.span.path)
    ]
    suppressed = [writer.suppressed(item) for item in outcome.suppressed]
    return join([_section("findings", "Findings", active), _section("suppressed", "Suppressed", suppressed)])


def _section(name: str, title: str, parts: list[Markup]) -> Markup:
    if not parts:
        return Markup()
    heading = tag("h2", {"id": name}, title)
    return tag("section", {"aria-labelledby": name}, heading, join(parts))


class _Writer:
    def __init__(self, outcome: Outcome, anchors: Anchors) -> None:
        self._outcome = outcome
        self._anchors = anchors
        self._verdicts = {
            anchors.handler(handler): SLUGS[handler.verdict] for handler in outcome.asking if handler.verdict
        }

    def file(self, path: str, found: Iterable[Finding]) -> Markup:
        items = [self._finding(finding) for finding in found]
        return tag(
            "div", {"class": "file", "data-group": True}, tag("h3", {}, tag("code", {}, path)), join(items)
        )

    def suppressed(self, item: Suppressed) -> Markup:
        note = tag("p", {"class": "quiet"}, f"Suppressed by the {item.by.name.lower()}: ", item.reason)
        return self._finding(item.finding, note)

    def _finding(self, finding: Finding, note: Markup | None = None) -> Markup:
        handler = self._anchors.handler_of(finding)
        return tag(
            "article",
            {
                "id": self._anchors.finding(finding),
                "class": f"finding {finding.level.value}",
                "data-item": "finding",
                "data-verdict": self._verdicts.get(handler) if handler else None,
                "data-levels": finding.level.value,
                "data-rules": finding.rule,
            },
            self._head(finding, handler),
            excerpt(finding.span, self._outcome),
            self._related(finding),
            note or "",
        )

    def _head(self, finding: Finding, handler: str | None) -> Markup:
        code = tag("a", {"class": f"code {finding.level.value}", "href": f"#{finding.rule}"}, finding.rule)
        level = tag("span", {"class": f"level {finding.level.value}"}, finding.level.value)
        place = tag("code", {"class": "place"}, self._outcome.place(finding.span))
        link = (
            tag("a", {"href": f"#{handler}"}, finding.handler or "") if handler else (finding.handler or "")
        )
        where = join([place, " in ", link]) if link else place
        message = tag("p", {"class": "message"}, prose(finding.message))
        return join([tag("div", {"class": "row"}, code, level, where), message])

    def _related(self, finding: Finding) -> Markup:
        if not finding.related:
            return Markup()
        items = [tag("li", {}, prose(what), ": ", self._place(span)) for what, span in finding.related]
        return tag("ul", {"class": "related"}, join(items))

    def _place(self, span: Span) -> Markup:
        return tag("code", {"class": "place"}, self._outcome.place(span))
