"""Annotations for GitHub Actions: one workflow command for each failure."""

from __future__ import annotations

from mrtr_adapter.check.model import Level, Report, Status, Verdict
from mrtr_adapter.check.report.words import details, place
from mrtr_codemod.report.github import command

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def render(report: Report) -> str:
    """Return the workflow commands, one a line; empty if there is nothing to say."""
    lines = [_failure(verdict, report) for verdict in report.of(Status.FAILED)]
    lines += [_unchecked(verdict, report) for verdict in report.of(Status.UNCHECKED)]
    return "".join(f"{line}\n" for line in lines)


def _failure(verdict: Verdict, report: Report) -> str:
    told = [f"{label}: {text}" for label, text in details(verdict)]
    message = "\n".join([f"{place(verdict, report)}: not so: {verdict.check.title}", *told])
    title = {"title": f"mrtr ({verdict.check.id})"}
    return command(_COMMANDS[verdict.check.level], title, message)


def _unchecked(verdict: Verdict, report: Report) -> str:
    message = f"{place(verdict, report)}: could not be checked: {verdict.note}"
    return command("error", {"title": f"mrtr ({verdict.check.id})"}, message)
