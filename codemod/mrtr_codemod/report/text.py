"""The report for a terminal: findings as compilers print them, then the handlers, then where to go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click import style, unstyle

from mrtr_codemod.model import Level
from mrtr_codemod.report.facts import ASK_NAMES, ask_place, live_local, rounds, verdict
from mrtr_codemod.report.snippet import snippet
from mrtr_codemod.report.summary import one_line, plural, rule_counts, stages, verdict_counts
from mrtr_codemod.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mrtr_codemod.model import Failure, Finding, Handler
    from mrtr_codemod.report.outcome import Outcome

COLORS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.INFO: "cyan"}


def render(outcome: Outcome, *, color: bool) -> str:
    """Return the whole report; `color` adds ANSI colours."""
    blocks = [_finding(finding, outcome) for finding in outcome.findings]
    blocks += [_failure(failure) for failure in outcome.failures]
    if outcome.asking:
        blocks.append(_title("Handlers that ask"))
        blocks += [_handler(handler, outcome) for handler in outcome.asking]
        blocks.append(_order(outcome))
    blocks.append("\n".join([*_standing(outcome), one_line(outcome)]))
    return _colored("\n\n".join(blocks) + "\n", color=color)


def render_statistics(outcome: Outcome, *, color: bool) -> str:
    """Return one line for each rule that was found, the most frequent first, and the sum."""
    counts = rule_counts(outcome)
    broad = max((len(f"{count:,}") for _, count in counts), default=0)
    lines = [
        f"{count:>{broad},}  {style(code, bold=True)}  {outcome.rules[code].summary}"
        for code, count in counts
    ]
    lines += [_failure(failure) for failure in outcome.failures]
    return _colored("\n".join([*lines, one_line(outcome)]) + "\n", color=color)


def _colored(text: str, *, color: bool) -> str:
    return text if color else unstyle(text)


def _title(text: str) -> str:
    return style(text, bold=True)


def _finding(finding: Finding, outcome: Outcome) -> str:
    level = COLORS[finding.level]
    place = style(visible(outcome.place(finding.span)), bold=True)
    code = style(finding.rule, fg=level, bold=True)
    head = f"{place}: {code} {finding.level.value}: {visible(finding.message)}"
    return "\n".join([head, *_excerpt(finding, outcome), *_related(finding, outcome)])


def _excerpt(finding: Finding, outcome: Outcome) -> Iterator[str]:
    line = outcome.line(finding.span)
    if not line.strip():
        return
    shown, carets = snippet(line, finding.span)
    place = outcome.cell_line(finding.span)
    number = str(finding.span.line if place is None else place.line)
    bar = style("|", fg="blue")
    yield f"{style(number, fg='blue')} {bar} {shown}"
    yield f"{' ' * len(number)} {bar} {style(carets, fg=COLORS[finding.level])}"


def _related(finding: Finding, outcome: Outcome) -> list[str]:
    return [f"  {visible(what)}: {visible(outcome.place(span))}" for what, span in finding.related]


def _failure(failure: Failure) -> str:
    path = style(visible(failure.path), bold=True)
    return f"{path}: {style('not checked', fg='red', bold=True)}: {visible(failure.reason)}"


def _handler(handler: Handler, outcome: Outcome) -> str:
    place = visible(outcome.place(handler.span))
    kind = f"{handler.method} ({handler.framework}), {rounds(handler)}"
    head = f"{style(visible(handler.name), bold=True)}  {visible(kind)}  {place}"
    lines = [
        f"    asks     {ASK_NAMES[ask.kind]}: {visible(ask_place(ask, outcome))}" for ask in handler.asks
    ]
    if handler.live:
        lines.append(f"    carries  {visible(', '.join(map(live_local, handler.live)))}")
    lines += [
        f"    hazard   {style(hazard.rule, fg=COLORS[hazard.level])} {visible(outcome.place(hazard.span))}"
        for hazard in handler.hazards
    ]
    because = f": {visible(handler.reason)}" if handler.reason else ""
    lines.append(f"    verdict  {style(verdict(handler), bold=True)}{because}")
    return "\n".join([head, *lines])


def _standing(outcome: Outcome) -> list[str]:
    counts = [f"{count:,} {verdict.value}" for verdict, count in verdict_counts(outcome).items()]
    return [f"{plural(len(outcome.asking), 'handler')} to migrate: {', '.join(counts)}."] if counts else []


def _order(outcome: Outcome) -> str:
    lines = [_title("The order to go in")]
    for number, stage in enumerate(stages(outcome), 1):
        lines.append(f"{number}. {style(stage.title, bold=True)} ({len(stage.handlers)}). {stage.advice}")
        lines += [
            f"     {visible(handler.name)}  {visible(outcome.place(handler.span))}"
            for handler in stage.handlers
        ]
    return "\n".join(lines)
