"""The report for a pull request or a wiki, in GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from mrtr_adapter.check.model import Report, Status, Verdict
from mrtr_adapter.check.report.words import HEADINGS, details, one_line
from mrtr_codemod.report.markdown import code, escape, prose, table


def render(report: Report) -> str:
    """Return the whole report."""
    sections = ["# MRTR conduct", escape(one_line(report)), *(f"- {escape(note)}" for note in report.notes)]
    if report.silent:
        sections.append(f"Asked nothing: {', '.join(map(code, report.silent))}.")
    failed = report.of(Status.FAILED)
    if failed:
        sections += [f"## {HEADINGS[Status.FAILED]}", *map(_failure, failed)]
    for status in HEADINGS:
        found = report.of(status)
        if found and status is not Status.FAILED:
            sections += [
                f"## {HEADINGS[status]}",
                table(("check", "tool", "what it says", "note"), _rows(found)),
            ]
    return "\n\n".join(sections) + "\n"


def _failure(verdict: Verdict) -> str:
    check = verdict.check
    tool = f" of {code(verdict.tool)}" if verdict.tool else ""
    lines = [f"### {code(check.id)}{tool} ({check.level.value})", "", f"Not so: {prose(check.title)}.", ""]
    for label, text in details(verdict):
        shown = prose(text) if label == "do" else code(text) if label in ("sent", "came") else escape(text)
        lines.append(f"- **{label}** {shown}")
    return "\n".join(lines)


def _rows(found: Sequence[Verdict]) -> list[tuple[str, ...]]:
    return [
        (
            code(verdict.check.id),
            code(verdict.tool) if verdict.tool else "",
            prose(verdict.check.title),
            escape(verdict.note),
        )
        for verdict in found
    ]
