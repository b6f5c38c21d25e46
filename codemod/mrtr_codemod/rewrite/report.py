"""The verdict on each handler, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .file import FileResult
from .verdicts import HandlerVerdict, Level

ADAPTER = "run it under the adapter: mrtr run"


def as_json(results: Sequence[FileResult]) -> str:
    """One object with `files` and `summary`; see `as_markdown` for the same as text."""
    files = [
        {
            "path": str(result.path),
            "problem": result.problem,
            "changed": result.changes,
            "notes": list(result.notes),
            "handlers": [_handler(v) for v in result.handlers],
        }
        for result in results
        if result.handlers or result.problem or result.changes
    ]
    return json.dumps({"files": files, "summary": counts(results)}, indent=2)


def _handler(verdict: HandlerVerdict) -> dict[str, object]:
    return {
        "name": verdict.name,
        "line": verdict.line,
        "method": verdict.method,
        "verdict": verdict.level.value,
        "rule": verdict.rule or None,
        "reason": verdict.reason or None,
        "rewritten": verdict.changed,
    }


def as_markdown(results: Sequence[FileResult]) -> str:
    """A table of handlers, and what is left to do by hand."""
    lines = ["| handler | verdict | reason |", "| --- | --- | --- |"]
    for result in results:
        for verdict in result.handlers:
            where = f"{result.path}:{verdict.line}"
            reason = f"{verdict.rule}: {verdict.reason}; {ADAPTER}" if verdict.rule else ""
            lines.append(f"| `{verdict.name}` ({where}) | {verdict.level.value} | {_cell(reason)} |")
    total = counts(results)
    summary = ", ".join(f"{total[level.value]} {level.value}" for level in Level)
    problems = [f"- {result.path} stays as it is: {result.problem}" for result in results if result.problem]
    return "\n".join([*lines, "", f"{sum(total.values())} handlers that ask: {summary}.", *problems])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def counts(results: Sequence[FileResult]) -> dict[str, int]:
    """How many handlers there are of each verdict."""
    levels = [v.level for result in results for v in result.handlers]
    return {level.value: levels.count(level) for level in Level}
