"""The verdict on each handler, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from .file import FileResult
from .shown import shown
from .verdicts import GONE_FROM_SDK, HandlerVerdict, Level

_ADAPTER = "run it under the adapter: mrtr run"
_GATEWAY = "leave it with its old SDK, behind the gateway: mrtr wrap"


def remedy(verdict: HandlerVerdict) -> str:
    """How a handler that stays as it is can be served all the same."""
    return _GATEWAY if verdict.rule == GONE_FROM_SDK else _ADAPTER


def as_json(results: Sequence[FileResult]) -> str:
    """One object with `files` and `summary`; see `as_markdown` for the same as text."""
    files = [
        {
            "path": shown(result.path),
            "problem": result.problem,
            "changed": result.changes,
            "notes": [{"line": note.line, "message": note.message} for note in result.notes],
            "handlers": [_handler(v) for v in result.handlers],
        }
        for result in results
        if result.handlers or result.problem or result.changes or result.notes
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
            where = f"{shown(result.path)}:{verdict.line}"
            reason = f"{verdict.rule}: {verdict.reason}; {remedy(verdict)}" if verdict.rule else ""
            lines.append(f"| `{verdict.name}` ({where}) | {verdict.level.value} | {_cell(reason)} |")
    total = counts(results)
    summary = ", ".join(f"{total[level.value]} {level.value}" for level in Level)
    left = [item for result in results for item in _left(result)]
    return "\n".join([*lines, "", f"{sum(total.values())} handlers that ask: {summary}.", *left])


def _left(result: FileResult) -> Iterator[str]:
    """What is left to do by hand in a file."""
    if result.problem:
        yield f"- {shown(result.path)} stays as it is: {result.problem}"
    for note in result.notes:
        yield f"- {shown(result.path)}:{note.line}: {note.message}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def counts(results: Sequence[FileResult]) -> dict[str, int]:
    """How many handlers there are of each verdict."""
    levels = [v.level for result in results for v in result.handlers]
    return {level.value: levels.count(level) for level in Level}
