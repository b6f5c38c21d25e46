"""The report as SARIF 2.1.0 (OASIS). Checks that passed are in it too: SARIF has a kind for each status."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from typing import Any

from mrtr_adapter.check.catalog import CHECKS
from mrtr_adapter.check.model import Check, Level, Report, Status, Verdict
from mrtr_adapter.check.report.words import details

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}
_KINDS = {
    Status.PASSED: "pass",
    Status.FAILED: "fail",
    Status.SKIPPED: "notApplicable",
    Status.UNCHECKED: "open",
}
FINGERPRINT = "mrtrCheck/v1"


def render(report: Report) -> str:
    """Return one SARIF log with one run."""
    run = {
        "tool": {"driver": _driver()},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not report.of(Status.UNCHECKED)}],
        "results": [_result(verdict, report) for verdict in report.verdicts],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver() -> dict[str, Any]:
    return {"name": "mrtr", "version": version("mrtr"), "rules": [_rule(check) for check in CHECKS]}


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.id,
        "shortDescription": {"text": check.title},
        "help": {"text": check.remedy},
        "helpUri": check.section.url,
        "defaultConfiguration": {"level": _LEVELS[check.level]},
    }


def _result(verdict: Verdict, report: Report) -> dict[str, Any]:
    failed = verdict.status is Status.FAILED
    told = [f"{label}: {text}" for label, text in details(verdict)]
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": _uri(report.server)}}}
    if verdict.tool:
        location["logicalLocations"] = [{"fullyQualifiedName": verdict.tool, "kind": "function"}]
    return {
        "ruleId": verdict.check.id,
        "ruleIndex": CHECKS.index(verdict.check),
        "kind": _KINDS[verdict.status],
        "level": _LEVELS[verdict.check.level] if failed else "none",
        "message": {"text": "\n".join([verdict.check.title, *told])},
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: _fingerprint(verdict, report)},
    }


def _uri(server: str) -> str:
    """A server that is a command has no address of its own."""
    return server if server.startswith(("http://", "https://")) else "urn:mrtr:check:stdio"


def _fingerprint(verdict: Verdict, report: Report) -> str:
    text = "\0".join((report.server, verdict.tool, verdict.check.id))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
