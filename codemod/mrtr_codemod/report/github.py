"""Annotations for GitHub Actions: one workflow command for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.model import Level
from mrtr_codemod.report.visible import visible

if TYPE_CHECKING:
    from mrtr_codemod.model import Failure, Finding
    from mrtr_codemod.report.outcome import Outcome

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def render(outcome: Outcome) -> str:
    """Return the workflow commands, one a line; empty if there is nothing to say."""
    lines = [_annotation(finding, outcome) for finding in outcome.findings]
    lines += [_failure(failure) for failure in outcome.failures]
    return "".join(f"{line}\n" for line in lines)


def _annotation(finding: Finding, outcome: Outcome) -> str:
    span = finding.span
    message = f"{finding.rule} {finding.message}"
    place = {"file": span.path}
    if outcome.cell_line(span) is None:
        place |= {"line": str(span.line), "endLine": str(span.end_line)}
        if span.line == span.end_line:
            # GitHub takes columns for annotations of a single line only.
            place |= {"col": str(span.column), "endColumn": str(span.end_column)}
    else:
        message = f"{outcome.line_name(span)}: {message}"
    return command(_COMMANDS[finding.level], {**place, "title": f"mrtr ({finding.rule})"}, message)


def _failure(failure: Failure) -> str:
    return command("error", {"file": failure.path, "title": "mrtr"}, f"not checked: {failure.reason}")


def command(name: str, properties: dict[str, str], message: str) -> str:
    """One workflow command: `name` is `error`, `warning` or `notice`."""
    listed = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_escape(message)}"


def _escape(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(escaped)


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
