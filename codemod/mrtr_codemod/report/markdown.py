"""The report for a pull request or a wiki, in GitHub's Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mrtr_codemod.report.facts import ASK_NAMES, ask_place, live_local, rounds, verdict
from mrtr_codemod.report.summary import level_counts, one_line, rule_counts, stages, verdict_counts
from mrtr_codemod.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mrtr_codemod.model import Handler
    from mrtr_codemod.report.outcome import Outcome

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$]|^[-+#=])")
_REFERENCE = re.compile(r"([@#])(?=\w)")
_CODE = re.compile(r"`([^`]+)`")
_BARE_PIPE = re.compile(r"(?<!\\)\|")


def render(outcome: Outcome) -> str:
    """Return the whole report."""
    sections = [
        "# MCP 2026-07-28 migration",
        one_line(outcome),
        *_failures(outcome),
        *_verdicts(outcome),
        *_order(outcome),
        *_handlers(outcome),
        *_findings(outcome),
        *_rules(outcome),
    ]
    return "\n\n".join(sections) + "\n"


def _failures(outcome: Outcome) -> list[str]:
    if not outcome.failures:
        return []
    items = [f"- {code(failure.path)} {escape(failure.reason)}" for failure in outcome.failures]
    return ["## Not checked", "\n".join(items)]


def _verdicts(outcome: Outcome) -> list[str]:
    counts = verdict_counts(outcome)
    levels = level_counts(outcome)
    if not counts and not any(levels.values()):
        return []
    rows = [(verdict.value, str(count)) for verdict, count in counts.items()]
    return ["## Where it stands", table(("way", "handlers"), rows)] if rows else []


def _order(outcome: Outcome) -> list[str]:
    items = []
    for number, stage in enumerate(stages(outcome), 1):
        names = ", ".join(code(handler.name) for handler in stage.handlers)
        items.append(f"{number}. **{stage.title}**: {names}. {prose(stage.advice)}")
    return ["## The order to go in", "\n".join(items)] if items else []


def _handlers(outcome: Outcome) -> list[str]:
    if not outcome.asking:
        return []
    return ["## Handlers that ask", *(_handler(handler, outcome) for handler in outcome.asking)]


def _handler(handler: Handler, outcome: Outcome) -> str:
    kind = f"{code(handler.method)} of {code(handler.framework)}"
    because = f": {prose(handler.reason)}" if handler.reason else ""
    lines = [
        f"### {code(handler.name)}",
        "",
        f"{kind} at {code(outcome.place(handler.span))}, {rounds(handler)}",
        "",
        f"- **{verdict(handler)}**{because}",
    ]
    lines += [f"- asks ({ASK_NAMES[ask.kind]}): {code(ask_place(ask, outcome))}" for ask in handler.asks]
    if handler.live:
        lines.append(f"- carries over: {', '.join(code(live_local(local)) for local in handler.live)}")
    lines += [
        f"- hazard {hazard.rule} at {code(outcome.place(hazard.span))}: {prose(hazard.message)}"
        for hazard in handler.hazards
    ]
    return "\n".join(lines)


def _findings(outcome: Outcome) -> list[str]:
    rows = [
        (finding.level.value, finding.rule, code(outcome.place(finding.span)), prose(finding.message))
        for finding in outcome.findings
    ]
    return ["## Findings", table(("level", "rule", "place", "message"), rows)] if rows else []


def _rules(outcome: Outcome) -> list[str]:
    rows = [(rule, str(count), prose(outcome.rules[rule].summary)) for rule, count in rule_counts(outcome)]
    return ["## Rules", table(("rule", "findings", "what it says"), rows)] if rows else []


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    # A table cell ends at a bare pipe, even inside a code span.
    return _BARE_PIPE.sub(r"\\|", text)


def prose(text: str) -> str:
    """Write a sentence in which `backticks` mark code."""
    return "".join(
        code(part) if number % 2 else escape(part) for number, part in enumerate(_CODE.split(text))
    )


def escape(text: str) -> str:
    """Write text that Markdown shows as it is: no markup, no HTML, no mention."""
    return _REFERENCE.sub(r"\1<!-- -->", _SPECIAL.sub(r"\\\1", visible(text)))


def code(text: str) -> str:
    """A code span, fenced so that the text cannot end it."""
    shown = visible(text)
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
