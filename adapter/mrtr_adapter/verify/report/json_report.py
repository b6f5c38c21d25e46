"""The report as JSON, for machines."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from mrtr_adapter.verify.compare import outcome_text
from mrtr_adapter.verify.report.outcome import Outcome
from mrtr_adapter.verify.runs import Run
from mrtr_adapter.verify.verification import VERDICTS, Finding

VERSION = 1


def render(outcome: Outcome) -> str:
    """One object, with the cases in their order."""
    report = {
        "version": VERSION,
        "file": outcome.file,
        "rewritten": outcome.rewritten,
        "cases": [_case(finding) for finding in outcome.findings],
        "hazards": [{**asdict(hazard), "cases": names} for hazard, names in outcome.hazards()],
        "reached": [{**asdict(each), "entered": each.entered} for each in outcome.reached],
        "left_out": asdict(outcome.left_out),
        "summary": {verdict.replace(" ", "_"): outcome.count(verdict) for verdict in VERDICTS},
    }
    return json.dumps(report, indent=2) + "\n"


def _case(finding: Finding) -> dict[str, Any]:
    request = finding.case.request
    runs = [run for run in (finding.native, *finding.others) if run is not None]
    return {
        "name": finding.case.name,
        "method": request.method,
        "target": request.target,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "runs": {run.way: _run(run) for run in runs},
        "differences": {
            way: [asdict(each) for each in found] for way, found in finding.differences.items() if found
        },
        "unsteady": [asdict(each) for each in finding.unsteady],
        "hazards": [asdict(hazard) for hazard in finding.hazards],
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "outcome": run.outcome.kind,
        "text": outcome_text(run.outcome),
        "rounds": run.rounds,
        "questions": [
            {"kind": asked.question.kind, "text": asked.question.text, "group": asked.group}
            for asked in run.asked
        ],
        "effects": [{**done.effect.model_dump(), "round": done.round} for done in run.effects],
        "logs": {
            name: [{"line": line, "round": round} for line, round in lines]
            for name, lines in run.logs.items()
        },
    }
