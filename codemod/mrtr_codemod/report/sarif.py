"""The report as SARIF 2.1.0 (OASIS), for code scanning services and editors."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mrtr_codemod.model import Level, Span
from mrtr_codemod.report.fingerprint import fingerprints

if TYPE_CHECKING:
    from mrtr_codemod.model import Failure, Finding
    from mrtr_codemod.report.outcome import Outcome
    from mrtr_codemod.report.rulebook import RuleDoc

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}
FINGERPRINT = "mrtrFinding/v1"


def render(outcome: Outcome) -> str:
    """Return one SARIF log with one run. Suppressed findings are in it, marked as such."""
    return (
        json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_Run(outcome).run()]}, indent=2) + "\n"
    )


class _Run:
    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._rules = sorted(outcome.rules)
        self._rule_index = {code: number for number, code in enumerate(self._rules)}

    def run(self) -> dict[str, Any]:
        outcome = self._outcome
        return {
            "tool": {"driver": self._driver()},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {_ROOT: {"description": {"text": "The directory that was checked."}}},
            "invocations": [
                {
                    "executionSuccessful": not outcome.failures,
                    "toolExecutionNotifications": [self._failure(failure) for failure in outcome.failures],
                }
            ],
            "results": self._results(),
        }

    def _driver(self) -> dict[str, Any]:
        return {
            "name": "mrtr",
            "version": version("mrtr"),
            "rules": [self._rule(self._outcome.rules[code]) for code in self._rules],
        }

    def _rule(self, rule: RuleDoc) -> dict[str, Any]:
        return {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": rule.what},
            "help": {"text": rule.text, "markdown": rule.markdown},
            "defaultConfiguration": {"level": _LEVELS[rule.level]},
            **({"helpUri": rule.reference} if rule.reference.startswith("https://") else {}),
        }

    def _results(self) -> list[dict[str, Any]]:
        active = [(finding, None) for finding in self._outcome.findings]
        suppressed = [(item.finding, item) for item in self._outcome.suppressed]
        both = sorted([*active, *suppressed], key=lambda pair: (pair[0].span, pair[0].rule, pair[0].message))
        digests = fingerprints([finding for finding, _ in both], self._outcome)
        results = []
        for (finding, item), digest in zip(both, digests, strict=True):
            result = self._result(finding, digest)
            if item is not None:
                result["suppressions"] = [{"kind": item.by.value, "justification": item.reason}]
            results.append(result)
        return results

    def _result(self, finding: Finding, digest: str) -> dict[str, Any]:
        location = self._location(finding.span)
        if finding.handler:
            location["logicalLocations"] = [{"fullyQualifiedName": finding.handler, "kind": "function"}]
        result: dict[str, Any] = {
            "ruleId": finding.rule,
            "ruleIndex": self._rule_index[finding.rule],
            "level": _LEVELS[finding.level],
            "message": {"text": self._message(finding)},
            "locations": [location],
            "partialFingerprints": {FINGERPRINT: digest},
        }
        if finding.related:
            result["relatedLocations"] = [
                {"id": number, "message": {"text": what}, **self._location(span)}
                for number, (what, span) in enumerate(finding.related)
            ]
        return result

    def _message(self, finding: Finding) -> str:
        # The region counts the lines of the notebook's JSON, which nobody sees.
        if self._outcome.cell_line(finding.span) is None:
            return finding.message
        return f"{self._outcome.line_name(finding.span)}: {finding.message}"

    def _location(self, span: Span) -> dict[str, Any]:
        return {"physicalLocation": {"artifactLocation": _artifact(span.path), "region": self._region(span)}}

    def _region(self, span: Span) -> dict[str, int]:
        """What a span covers; in a notebook whole lines of its JSON, whose columns are not those of the code."""
        first = self._outcome.cell_line(span)
        if first is not None:
            last = self._outcome.cell_line(Span(span.path, span.end_line, 1, span.end_line, 1)) or first
            return {"startLine": first.row, "endLine": max(first.row, last.row)}
        return {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }

    def _failure(self, failure: Failure) -> dict[str, Any]:
        return {
            "level": "error",
            "message": {"text": f"{failure.path} was not checked: {failure.reason}"},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(failure.path)}}],
        }


def _artifact(path: str) -> dict[str, str]:
    uri = quote(path.encode("utf-8", "backslashreplace"))
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": _ROOT}
