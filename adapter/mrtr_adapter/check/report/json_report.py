"""The report for programs. `version` changes when it breaks a reader."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from mrtr_adapter.check.model import Report, Status, Verdict

FORMAT_VERSION = 1


def render(report: Report) -> str:
    """Return the report as indented JSON."""
    whole = {
        "version": FORMAT_VERSION,
        "tool": {"name": "mrtr", "version": version("mrtr")},
        "server": report.server,
        "tools": list(report.tools),
        "silent": list(report.silent),
        "notes": list(report.notes),
        "summary": {status.value: len(report.of(status)) for status in Status},
        "checks": [_verdict(verdict) for verdict in report.verdicts],
    }
    return json.dumps(whole, indent=2) + "\n"


def _verdict(verdict: Verdict) -> dict[str, Any]:
    check = verdict.check
    return {
        "id": check.id,
        "title": check.title,
        "level": check.level.value,
        "status": verdict.status.value,
        "tool": verdict.tool or None,
        "sent": verdict.sent or None,
        "came": verdict.came or None,
        "note": verdict.note or None,
        "section": {"title": check.section.title, "url": check.section.url},
        "remedy": check.remedy,
    }
