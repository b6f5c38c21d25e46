"""The report for programs. report.schema.json describes it; `version` changes when it breaks a reader."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mrtr_codemod.report.summary import level_counts, rule_counts, stages, verdict_counts

if TYPE_CHECKING:
    from mrtr_codemod.model import Ask, Failure, Finding, Handler, Span
    from mrtr_codemod.report.outcome import Outcome
    from mrtr_codemod.triage import Suppressed

FORMAT_VERSION = 1


def render(outcome: Outcome) -> str:
    """Return the report as indented JSON. A handler is referred to by its place in `handlers`, from 0."""
    # ASCII only: a source in an odd encoding can hold surrogates, which UTF-8 cannot.
    return json.dumps(_Writer(outcome).report(), indent=2) + "\n"


class _Writer:
    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def report(self) -> dict[str, Any]:
        outcome = self._outcome
        return {
            "version": FORMAT_VERSION,
            "tool": {"name": "mrtr", "version": version("mrtr")},
            "summary": self._summary(),
            "findings": [self._finding(finding) for finding in outcome.findings],
            "suppressed": [self._suppressed(item) for item in outcome.suppressed],
            "handlers": [self._handler(handler) for handler in outcome.handlers],
            "order": self._order(),
            "failures": [self._failure(failure) for failure in outcome.failures],
        }

    def _summary(self) -> dict[str, Any]:
        outcome = self._outcome
        return {
            "files": outcome.files,
            "handlers": len(outcome.handlers),
            "asking_handlers": len(outcome.asking),
            "levels": {level.value: count for level, count in level_counts(outcome).items()},
            "rules": dict(rule_counts(outcome)),
            "verdicts": {verdict.value: count for verdict, count in verdict_counts(outcome).items()},
        }

    def _place(self, span: Span) -> dict[str, Any]:
        place = self._outcome.cell_line(span)
        first = span.line if place is None else place.line
        last = span.end_line - span.line + first
        found = {
            "path": span.path,
            "line": first,
            "column": span.column,
            "end_line": last,
            "end_column": span.end_column,
        }
        return found if place is None else {**found, "cell": place.cell}

    def _finding(self, finding: Finding) -> dict[str, Any]:
        return {
            "rule": finding.rule,
            "level": finding.level.value,
            "message": finding.message,
            "place": self._place(finding.span),
            "handler": finding.handler,
            "related": [{"what": what, "place": self._place(span)} for what, span in finding.related],
        }

    def _suppressed(self, item: Suppressed) -> dict[str, Any]:
        return {**self._finding(item.finding), "by": item.by.name.lower(), "reason": item.reason}

    def _handler(self, handler: Handler) -> dict[str, Any]:
        return {
            "name": handler.name,
            "framework": handler.framework,
            "method": handler.method,
            "place": self._place(handler.span),
            "asks": [self._ask(ask) for ask in handler.asks],
            "live": [
                {"name": local.name, "type": local.type, "place": self._place(local.span)}
                for local in handler.live
            ],
            "hazards": [self._finding(hazard) for hazard in handler.hazards],
            "rounds": handler.rounds,
            "verdict": handler.verdict.value if handler.verdict else None,
            "reason": handler.reason,
        }

    def _ask(self, ask: Ask) -> dict[str, Any]:
        return {
            "kind": ask.kind.value,
            "place": self._place(ask.span),
            "via": [self._place(span) for span in ask.via],
            "question": ask.question,
        }

    def _order(self) -> list[dict[str, Any]]:
        index = {id(handler): number for number, handler in enumerate(self._outcome.handlers)}
        return [
            {"title": stage.title, "advice": stage.advice, "handlers": [index[id(h)] for h in stage.handlers]}
            for stage in stages(self._outcome)
        ]

    def _failure(self, failure: Failure) -> dict[str, str]:
        return {"path": failure.path, "reason": failure.reason}
