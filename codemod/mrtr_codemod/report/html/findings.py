"""The findings, file by file; those of one place share its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from mrtr_codemod.report.html.excerpt import excerpt
from mrtr_codemod.report.html.markup import Markup, join, prose, tag
from mrtr_codemod.report.html.overview import SLUGS

if TYPE_CHECKING:
    from mrtr_codemod.model import Finding
    from mrtr_codemod.report.html.anchors import Anchors
    from mrtr_codemod.report.outcome import Outcome


def findings(outcome: Outcome, anchors: Anchors) -> Markup:
    """Return the sections of the findings that count and of the suppressed ones."""
    notes = {
        item.finding: f"Suppressed by the {item.by.name.lower()}: {item.reason}"
        for item in outcome.suppressed
    }
    writer = _Writer(outcome, anchors, notes)
    return join(
        [
            writer.section("findings", "Findings", outcome.findings),
            writer.section("suppressed", "Suppressed", [item.finding for item in outcome.suppressed]),
        ]
    )


class _Writer:
    def __init__(self, outcome: Outcome, anchors: Anchors, notes: dict[Finding, str]) -> None:
        self._outcome = outcome
        self._anchors = anchors
        self._notes = notes
        self._verdicts = {
            anchors.handler(handler): SLUGS[handler.verdict] for handler in outcome.asking if handler.verdict
        }

    def section(self, name: str, title: str, found: Sequence[Finding]) -> Markup:
        if not found:
            return Markup()
        files = [
            self._file(path, group) for path, group in groupby(found, key=lambda finding: finding.span.path)
        ]
        return tag("section", {"aria-labelledby": name}, tag("h2", {"id": name}, title), join(files))

    def _file(self, path: str, found: Iterable[Finding]) -> Markup:
        spots = [self._spot(list(group)) for _, group in groupby(found, key=lambda finding: finding.span)]
        heading = tag("h3", {}, tag("code", {}, path))
        return tag("div", {"class": "file", "data-group": True}, heading, join(spots))

    def _spot(self, found: list[Finding]) -> Markup:
        items = join([self._finding(finding) for finding in found])
        return tag("div", {"class": "spot", "data-group": True}, items, excerpt(found[0].span, self._outcome))

    def _finding(self, finding: Finding) -> Markup:
        handler = self._anchors.handler_of(finding)
        note = self._notes.get(finding)
        return tag(
            "article",
            {
                "id": self._anchors.finding(finding),
                "class": f"finding {finding.level.value}",
                "data-item": "finding",
                "data-path": finding.span.path,
                "data-verdict": self._verdicts.get(handler) if handler else None,
                "data-levels": finding.level.value,
                "data-rules": finding.rule,
            },
            self._head(finding, handler),
            tag("p", {"class": "message"}, prose(finding.message)),
            self._related(finding),
            tag("p", {"class": "quiet"}, note) if note else "",
        )

    def _head(self, finding: Finding, handler: str | None) -> Markup:
        code = tag("a", {"class": f"code {finding.level.value}", "href": f"#{finding.rule}"}, finding.rule)
        level = tag("span", {"class": f"level {finding.level.value}"}, finding.level.value)
        place = tag("span", {"class": "quiet"}, self._outcome.line_name(finding.span))
        name = (
            tag("a", {"href": f"#{handler}"}, finding.handler or "") if handler else (finding.handler or "")
        )
        return tag("div", {"class": "row"}, code, level, join([place, " in ", name]) if name else place)

    def _related(self, finding: Finding) -> Markup:
        if not finding.related:
            return Markup()
        path = finding.span.path
        items = [
            tag("li", {}, prose(what), ": ", self._outcome.place_from(path, span))
            for what, span in finding.related
        ]
        return tag("ul", {"class": "related"}, join(items))
