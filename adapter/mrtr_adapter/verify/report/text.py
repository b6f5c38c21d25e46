"""The report for a terminal: the cases, what is different about each, and the hazards that became real."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from click import style, unstyle

from mrtr_adapter.verify.explore.left_out import LeftOut
from mrtr_adapter.verify.explore.reach import Reach
from mrtr_adapter.verify.report.outcome import UNSTEADY, Outcome
from mrtr_adapter.verify.runs import Difference
from mrtr_adapter.verify.verification import VERDICTS, Finding
from mrtr_codemod.report.visible import visible, width

_COLORS = {"equal": "green", "different": "red", "unsteady": "yellow", "could not run": "yellow"}
_CELL = 40
"""The widest that a column of a table gets."""
_MOST_LINES = 12
"""Of one cell."""


def render(outcome: Outcome, *, color: bool) -> str:
    """The whole report; `color` adds ANSI colours."""
    blocks = ["\n".join(_case(finding) for finding in outcome.findings)]
    blocks += _details(outcome)
    blocks += ["\n".join(_hazards(outcome))] if outcome.hazards() else []
    blocks += ["\n".join(_reached(outcome))] if outcome.reached else []
    blocks += ["\n".join(left_out)] if (left_out := list(_left_out(outcome.left_out))) else []
    blocks.append(_summary(outcome))
    text = "\n\n".join(blocks) + "\n"
    return text if color else unstyle(text)


def _case(finding: Finding) -> str:
    verdict = style(f"{finding.verdict:13}", fg=_COLORS[finding.verdict], bold=True)
    name = visible(finding.case.name)
    if finding.reason is not None:
        return f"{verdict}  {name}: {visible(finding.reason)}"
    assert finding.native is not None
    asked = len(finding.native.asked)
    return f"{verdict}  {name}  ({_plural(asked, 'question')}, {_rounds(finding)})"


def _rounds(finding: Finding) -> str:
    return ", ".join(f"{other.way} in {_plural(other.rounds, 'round')}" for other in finding.others)


def _details(outcome: Outcome) -> Iterator[str]:
    """What is different; once, where it is the same in several cases."""
    alike: dict[str, list[str]] = {}
    for finding in outcome.findings:
        tables = [_table(way, found) for way, found in finding.differences.items() if found]
        if finding.unsteady:
            tables += [f"  {UNSTEADY}", _table("native again", finding.unsteady)]
        if tables and finding.reason is None:
            alike.setdefault("\n".join(tables), []).append(finding.case.name)
    for table, names in alike.items():
        yield "\n".join([*(style(visible(name), bold=True) for name in names), table])


def _table(way: str, found: Sequence[Difference]) -> str:
    rows = [["", "native", way], *([each.what, each.native, each.other] for each in found)]
    cells = [[_cell(text) for text in row] for row in rows]
    widths = [max(width(line) for row in cells for line in row[column]) for column in range(3)]
    lines = [line for row in cells for line in _row(row, widths)]
    ruled = [lines[0], "  " + "  ".join("-" * wide for wide in widths), *lines[1:]]
    return "\n".join(ruled)


def _cell(text: str) -> list[str]:
    lines = [
        part for line in text.splitlines() or [""] for part in textwrap.wrap(visible(line), _CELL) or [""]
    ]
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "…"]


def _row(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for number in range(max(map(len, cells))):
        parts = [cell[number] if number < len(cell) else "" for cell in cells]
        padded = [part + " " * (wide - width(part)) for part, wide in zip(parts, widths, strict=True)]
        yield ("  " + "  ".join(padded)).rstrip()


def _hazards(outcome: Outcome) -> Iterator[str]:
    yield style("Hazards that became real", bold=True)
    for hazard, names in outcome.hazards():
        more = f" and {_plural(len(names) - 1, 'other case')}" if len(names) > 1 else ""
        yield f"  {style(hazard.kind, fg='yellow')}, {hazard.way}: {visible(hazard.what)}"
        yield f"      {visible(hazard.how)}, in {visible(names[0])}{more}"


def _reached(outcome: Outcome) -> Iterator[str]:
    """How far the exploration came, in the functions that it came to."""
    entered = [each for each in outcome.reached if each.entered]
    never = [visible(each.function) for each in outcome.reached if not each.entered]
    branches, of_branches = sum(each.branches for each in entered), sum(each.of_branches for each in entered)
    lines, of_lines = sum(each.lines for each in entered), sum(each.of_lines for each in entered)
    yield style("Reached", bold=True) + f": {branches} of {of_branches} branches, {lines} of {of_lines} lines"
    for each in entered:
        branched = f"{each.branches}/{each.of_branches} branches, {each.lines}/{each.of_lines} lines"
        yield f"  {visible(each.function)}: {branched}{_missed(each)}"
    if never:
        yield f"  never entered: {', '.join(never)}"


def _missed(each: Reach) -> str:
    lines = [str(line) for line in each.missing_lines]
    jumps = [
        f"{first} to {'the end' if last < 0 else last}"
        for first, last in each.missing_branches
        if last not in each.missing_lines and first not in each.missing_lines
    ]
    told = [f"never line {', '.join(lines)}"] if lines else []
    told += [f"never from {', '.join(jumps)}"] if jumps else []
    return f"; {'; '.join(told)}" if told else ""


def _left_out(left_out: LeftOut) -> Iterator[str]:
    reasons = (
        (left_out.unfinished, "there is more to try: give a higher --max-cases"),
        (left_out.silent, "called, asked nothing, not compared"),
        (left_out.uncalled, "not called: no arguments were found that fit its schema; give it --cases"),
    )
    told = [f"  {visible(', '.join(names))}: {reason}" for names, reason in reasons if names]
    if told:
        yield style("Left out", bold=True)
        yield from told


def _summary(outcome: Outcome) -> str:
    counts = [f"{count} {verdict}" for verdict in VERDICTS if (count := outcome.count(verdict))]
    return f"{_plural(len(outcome.findings), 'case')}: {', '.join(counts)}."


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
