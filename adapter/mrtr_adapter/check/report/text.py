"""The report for a terminal: what failed in full, then the rest in a line each."""

from __future__ import annotations

from click import style, unstyle

from mrtr_adapter.check.model import Report, Status, Verdict
from mrtr_adapter.check.report.words import HEADINGS, details, one_line, place
from mrtr_codemod.report.text import COLORS
from mrtr_codemod.report.visible import visible

_LABEL = 4


def render(report: Report, *, color: bool) -> str:
    """Return the whole report; `color` adds ANSI colours."""
    blocks = [_failure(verdict, report) for verdict in report.of(Status.FAILED)]
    blocks += [_list(status, report) for status in HEADINGS if status is not Status.FAILED]
    notes = [visible(note) for note in report.notes]
    if report.silent:
        notes.append(f"asked nothing: {visible(', '.join(report.silent))}")
    blocks += ["\n".join([*notes, visible(one_line(report))])]
    text = "\n\n".join(block for block in blocks if block) + "\n"
    return text if color else unstyle(text)


def _failure(verdict: Verdict, report: Report) -> str:
    check = verdict.check
    where = style(visible(place(verdict, report)), bold=True)
    code = style(check.id, fg=COLORS[check.level], bold=True)
    head = f"{where}: {code} {check.level.value}: not so: {check.title}"
    lines = [f"    {label:<{_LABEL}}  {visible(text)}" for label, text in details(verdict)]
    return "\n".join([head, *lines])


def _list(status: Status, report: Report) -> str:
    found = report.of(status)
    if not found:
        return ""
    lines = [style(HEADINGS[status], bold=True)]
    for verdict in found:
        note = f" ({visible(verdict.note)})" if verdict.note else ""
        tool = f" {visible(verdict.tool)}" if verdict.tool else ""
        lines.append(f"    {verdict.check.id}{tool}{note}")
    return "\n".join(lines)
