"""Where the repo stands, and the order to go in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mrtr_codemod.model import Handler, Level, Verdict
from mrtr_codemod.triage import By

if TYPE_CHECKING:
    from mrtr_codemod.model import Finding, Span
    from mrtr_codemod.report.outcome import Outcome


@dataclass(frozen=True)
class Stage:
    """One leg of the migration: what to do, and the handlers to do it to."""

    title: str
    advice: str
    handlers: tuple[Handler, ...]


_FIRST = (
    "Fix first",
    "These can act without an answer, or lose one. Fix them before anything else.",
)
_BY_VERDICT = {
    Verdict.ADAPTER: (
        "Adapt as they are",
        "`adapt(server)` serves these as they are, on mcp 2 or FastMCP 4, where `mrtr rewrite --sdk-only` moves older "
        "files.",
    ),
    Verdict.ADAPTER_MEMO: (
        "Adapt, with memo or once",
        "`adapt(server)` serves these too, once what stands above an ask is in `memo()` or `once()`.",
    ),
    Verdict.REWRITE_SAFE: (
        "Rewrite by command",
        "`mrtr rewrite` turns these into explicit steps; nothing is carried over and nothing runs twice.",
    ),
    Verdict.REWRITE_REVIEW: (
        "Rewrite and review",
        "`mrtr rewrite --unsafe` does the work; read its diff, since state travels from round to round.",
    ),
    Verdict.GATEWAY: (
        "Put the gateway in front",
        "`mrtr wrap -- python FILE` serves these as they are, with the python of an environment with their old SDK.",
    ),
    Verdict.BY_HAND: (
        "Change by hand",
        "Neither way fits these; their reason says what has to change first.",
    ),
}


def stages(outcome: Outcome) -> list[Stage]:
    """Order the handlers that ask: first what is dangerous today, then what is quick, then the rest.

    Each handler is in exactly one stage, in the order of the report; stages without handlers are left out. A
    hazard of level error is dangerous, unless a comment answers for it.
    """
    answered = {_key(item.finding) for item in outcome.suppressed if item.by is By.COMMENT}
    dangerous: list[Handler] = []
    rest: list[Handler] = []
    for handler in outcome.asking:
        grave = [
            hazard
            for hazard in handler.hazards
            if hazard.level is Level.ERROR and _key(hazard) not in answered
        ]
        (dangerous if grave else rest).append(handler)
    found = [Stage(*_FIRST, tuple(dangerous))]
    found += [
        Stage(title, advice, tuple(handler for handler in rest if handler.verdict is verdict))
        for verdict, (title, advice) in _BY_VERDICT.items()
    ]
    return [stage for stage in found if stage.handlers]


def _key(finding: Finding) -> tuple[str, Span]:
    return finding.rule, finding.span


def rule_counts(outcome: Outcome) -> list[tuple[str, int]]:
    """How often each rule was found, the most frequent first."""
    counts = Counter(finding.rule for finding in outcome.findings)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def level_counts(outcome: Outcome) -> dict[Level, int]:
    """How many findings there are of each level, worst first."""
    counts = Counter(finding.level for finding in outcome.findings)
    return {level: counts[level] for level in reversed(Level)}


def verdict_counts(outcome: Outcome) -> dict[Verdict, int]:
    """How many handlers there are of each verdict, easiest first, without the verdicts that nobody got."""
    counts = Counter(handler.verdict for handler in outcome.asking)
    return {verdict: counts[verdict] for verdict in Verdict if counts[verdict]}


def plural(count: int, noun: str) -> str:
    """`1 file`, `2 files`, `3,000 files`; `noun` may end in `y`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"


def one_line(outcome: Outcome) -> str:
    """The run in one sentence."""
    levels = ", ".join(
        plural(count, _NOUNS[level]) for level, count in level_counts(outcome).items() if count
    )
    parts = [f"{plural(outcome.files, 'file')} checked", levels or "no findings"]
    if outcome.suppressed:
        parts.append(f"{len(outcome.suppressed):,} suppressed")
    if outcome.failures:
        parts.append(f"{plural(len(outcome.failures), 'file')} not checked")
    return ", ".join(parts) + "."


_NOUNS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}
