"""What the formats say in the same words."""

from __future__ import annotations

from mrtr_adapter.check.model import Report, Status, Verdict
from mrtr_codemod.report.summary import plural

HEADINGS = {
    Status.FAILED: "Failed",
    Status.UNCHECKED: "Could not be checked",
    Status.SKIPPED: "Not checked",
    Status.PASSED: "Passed",
}
"""In the order in which they matter."""


def place(verdict: Verdict, report: Report) -> str:
    """What a verdict is about: the server, or one of its tools."""
    return f"{report.server} {verdict.tool}" if verdict.tool else report.server


def details(verdict: Verdict) -> list[tuple[str, str]]:
    """The exchange that decided, and what to make of it, line by line with their labels."""
    failed = verdict.status is Status.FAILED
    lines = [("sent", verdict.sent), ("came", verdict.came), ("note", verdict.note)]
    if failed:
        lines += [("spec", f"{verdict.check.section.title} ({verdict.check.section.url})")]
        lines += [("do", verdict.check.remedy)]
    return [(label, text) for label, text in lines if text]


def one_line(report: Report) -> str:
    """The run in one sentence."""
    counts = {status: len(report.of(status)) for status in Status}
    parts = [
        f"{counts[Status.PASSED]:,} passed",
        f"{counts[Status.FAILED]:,} failed",
        f"{counts[Status.UNCHECKED]:,} could not be checked",
        f"{counts[Status.SKIPPED]:,} not checked",
    ]
    asking = f"{plural(len(report.tools), 'tool')} that {'asks' if len(report.tools) == 1 else 'ask'}"
    return f"{plural(len(report.verdicts), 'check')} of {report.server}, {asking}: {', '.join(parts)}."
