"""A handler as the rounds cut it: segments of its statements, and the resume points between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from mrtr_codemod.report.html.outline import Loop, Outline, Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mrtr_codemod.model import Ask, Finding, Handler, Span


@dataclass(frozen=True)
class Segment:
    """Statements that run without a pause, by their lines, with what is wrong and which of them leave."""

    first: int
    last: int
    hazards: tuple[Finding, ...] = ()
    exits: tuple[int, ...] = ()


@dataclass(frozen=True)
class ResumePoint:
    """One or more asks that end a round, and where the next one goes on."""

    first: int
    last: int
    asks: tuple[Ask, ...]
    answer: str | None = None
    conditional: bool = False
    carries: tuple[str, ...] = ()
    hazards: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Turn:
    """A loop over the steps from `first` to `last`, by their index."""

    first: int
    last: int
    loop: Loop
    depth: int


@dataclass(frozen=True)
class Flow:
    """The steps of a handler in the order of its source. `elsewhere` are hazards outside of its own lines."""

    steps: tuple[Segment | ResumePoint, ...]
    turns: tuple[Turn, ...]
    elsewhere: tuple[Finding, ...]


def flow(handler: Handler, outline: Outline) -> Flow:
    """Cut a handler at its asks and at the loops around them."""
    placed = _placed(handler, outline)
    points = [_point(handler, group) for group in _rounds(placed)]
    loops = _loops(setting for _, setting in placed)
    own = [hazard for hazard in handler.hazards if _is_own(hazard.span, handler, outline)]
    points = _with_carried(_with_hazards(points, own), handler)
    steps = _steps(points, loops, own, outline)
    turns = [turn for depth, loop in loops if (turn := _turn(steps, loop, depth)) is not None]
    elsewhere = [hazard for hazard in handler.hazards if hazard not in own]
    return Flow(tuple(steps), tuple(turns), tuple(elsewhere))


_Placed = tuple["Ask", Setting]


def _placed(handler: Handler, outline: Outline) -> list[_Placed]:
    """Each ask with its place in the handler's own body, in the order of these places."""
    found = []
    for ask in handler.asks:
        here = (ask.via or (ask.span,))[0]
        found.append((here, ask, outline.setting(here)))
    found.sort(key=lambda item: (item[0].line, item[0].column))
    return [(ask, setting) for _, ask, setting in found]


def _rounds(placed: Sequence[_Placed]) -> list[list[_Placed]]:
    """Group asks that end a round together, as those of one gather do."""
    return [list(group) for _, group in groupby(placed, key=lambda item: item[1].together or id(item[0]))]


def _point(handler: Handler, group: list[_Placed]) -> ResumePoint:
    settings = [setting for _, setting in group]
    return ResumePoint(
        min(setting.first for setting in settings),
        max(setting.last for setting in settings),
        tuple(ask for ask, _ in group),
        answer=settings[0].answer,
        conditional=any(setting.conditional for setting in settings),
    )


def _loops(settings: Iterable[Setting]) -> list[tuple[int, Loop]]:
    """Every loop around an ask once, with its depth, from the outside in."""
    found = {loop: depth for setting in settings for depth, loop in enumerate(setting.loops)}
    return sorted(((depth, loop) for loop, depth in found.items()), key=lambda item: (item[0], item[1].first))


def _is_own(span: Span, handler: Handler, outline: Outline) -> bool:
    return span.path == handler.span.path and outline.first <= span.line <= outline.last


def _with_hazards(points: Sequence[ResumePoint], hazards: Sequence[Finding]) -> list[ResumePoint]:
    """Give each hazard to the first resume point whose lines it is in."""
    left = list(hazards)
    found = []
    for point in points:
        here = [hazard for hazard in left if point.first <= hazard.span.line <= point.last]
        left = [hazard for hazard in left if hazard not in here]
        found.append(replace(point, hazards=tuple(here)))
    return found


def _with_carried(points: Sequence[ResumePoint], handler: Handler) -> list[ResumePoint]:
    """Give each live local to the first resume point below the line that sets it."""
    above = 0
    found = []
    for point in points:
        names = [local.name for local in handler.live if above < local.span.line <= point.first]
        found.append(replace(point, carries=tuple(dict.fromkeys(names))))
        above = point.first
    return found


def _steps(
    points: Sequence[ResumePoint],
    loops: Sequence[tuple[int, Loop]],
    hazards: Sequence[Finding],
    outline: Outline,
) -> list[Segment | ResumePoint]:
    """Fill the lines between the resume points with segments, cut where a loop begins or ends."""
    cuts = {line for _, loop in loops for line in (loop.first, loop.last + 1)}
    steps: list[Segment | ResumePoint] = []
    line = outline.first
    for point in points:
        steps += _segments(line, point.first - 1, cuts, hazards, outline)
        steps.append(point)
        line = max(line, point.last + 1)
    return steps + _segments(line, outline.last, cuts, hazards, outline)


def _segments(
    first: int, last: int, cuts: set[int], hazards: Sequence[Finding], outline: Outline
) -> list[Segment | ResumePoint]:
    starts = [first, *sorted(cut for cut in cuts if first < cut <= last)] if first <= last else []
    ends = [start - 1 for start in starts[1:]] + [last]
    return [
        Segment(
            start,
            end,
            tuple(hazard for hazard in hazards if start <= hazard.span.line <= end),
            tuple(line for line in outline.exits if start <= line <= end),
        )
        for start, end in zip(starts, ends, strict=False)
        if any(outline.source.line(line).strip() for line in range(start, end + 1))
    ]


def _turn(steps: Sequence[Segment | ResumePoint], loop: Loop, depth: int) -> Turn | None:
    inside = [number for number, step in enumerate(steps) if loop.first <= step.first <= loop.last]
    return Turn(inside[0], inside[-1], loop, depth) if inside else None
