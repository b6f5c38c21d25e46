"""The report as one page that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence

from mrtr_adapter.check.model import Report, Status, Verdict
from mrtr_adapter.check.report.words import HEADINGS, details, one_line
from mrtr_codemod.report.html.markup import Markup, join, prose, tag
from mrtr_codemod.report.html.page import document


def render(report: Report) -> str:
    """Return the whole page. It is the same for the same report."""
    sections = [_section(status, report) for status in HEADINGS]
    body = tag(
        "body",
        {},
        tag(
            "main",
            {},
            tag("p", {"class": "eyebrow"}, report.server),
            tag("h1", {}, "MRTR conduct"),
            tag("p", {"class": "lead"}, one_line(report)),
            _notes(report),
            join(sections),
        ),
    )
    return document("MRTR conduct", body)


def _notes(report: Report) -> Markup:
    notes = [*report.notes]
    if report.silent:
        notes.append(f"asked nothing: {', '.join(report.silent)}")
    return join([tag("p", {"class": "quiet"}, note) for note in notes])


def _section(status: Status, report: Report) -> Markup:
    found = report.of(status)
    if not found:
        return Markup()
    items = [_failure(verdict) for verdict in found] if status is Status.FAILED else [_rows(found)]
    return tag("section", {"aria-labelledby": status.value}, _heading(status, len(found)), *items)


def _heading(status: Status, count: int) -> Markup:
    return tag("h2", {"id": status.value}, HEADINGS[status], " ", tag("span", {"class": "count"}, str(count)))


def _failure(verdict: Verdict) -> Markup:
    check = verdict.check
    level = check.level.value
    name = tag("span", {"class": f"code {level}"}, check.id)
    row = tag(
        "div", {"class": "row"}, name, tag("span", {"class": f"level {level}"}, level), " ", verdict.tool
    )
    title = tag("p", {"class": "message"}, "Not so: ", prose(check.title))
    lines = [
        tag("li", {}, tag("span", {"class": "tag"}, label), " ", prose(text))
        for label, text in details(verdict)
    ]
    facts = tag("div", {"class": "facts"}, tag("ul", {}, join(lines)))
    return tag("article", {"class": f"card finding {level}"}, row, title, facts)


def _rows(found: Sequence[Verdict]) -> Markup:
    items = [
        tag(
            "li",
            {},
            tag("code", {}, verdict.check.id),
            f" {verdict.tool} " if verdict.tool else " ",
            prose(verdict.check.title),
            tag("span", {"class": "quiet"}, f" ({verdict.note})") if verdict.note else "",
        )
        for verdict in found
    ]
    return tag("ul", {}, join(items))
