"""A flow as inline SVG: a rail with the handler's segments, its resume points, its loops and its hazards.

It is narrow enough for a phone at its natural size; what is too long is cut, and whole in a tooltip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mrtr_codemod.report.facts import ASK_NAMES
from mrtr_codemod.report.html.canvas import WIDTH, Canvas
from mrtr_codemod.report.html.flow import ResumePoint, Segment
from mrtr_codemod.report.html.markup import Markup, tag

if TYPE_CHECKING:
    from collections.abc import Callable

    from mrtr_codemod.model import Ask, Finding, Handler
    from mrtr_codemod.report.html.flow import Flow, Turn
    from mrtr_codemod.report.outcome import Outcome

_INDENT = 14
"""Pixels between the lanes of nested loops."""
_GAP = 12


def draw(handler: Handler, flow: Flow, outcome: Outcome, link: Callable[[Finding], str]) -> Markup:
    """Return the drawing of a handler that asks; `link` gives the address of what explains a hazard."""
    depth = max((turn.depth + 1 for turn in flow.turns), default=0)
    canvas = Canvas(rail=16 + _INDENT * depth)
    drawing = _Drawing(handler.span.path, canvas, outcome, link)
    drawing.entry(handler, flow.elsewhere)
    extents = []
    for number, step in enumerate(flow.steps):
        opened = [turn for turn in flow.turns if turn.first == number]
        top = canvas.y
        for turn in opened:
            drawing.loop_head(turn)
        if isinstance(step, Segment):
            drawing.segment(step)
        else:
            drawing.resume_point(step)
        extents.append((top, canvas.y - _GAP))
    drawing.result()
    for turn in flow.turns:
        drawing.loop_arrow(depth - turn.depth, extents[turn.first][0], extents[turn.last][1])
    return canvas.svg(f"Flow of {handler.name}")


@dataclass(frozen=True)
class _Drawing:
    path: str
    canvas: Canvas
    outcome: Outcome
    link: Callable[[Finding], str]

    def entry(self, handler: Handler, elsewhere: tuple[Finding, ...]) -> None:
        canvas = self.canvas
        canvas.add("circle", "end", cx=canvas.rail, cy=canvas.y + 10, r=6)
        canvas.write("strong", handler.method, tail=self.outcome.line_name(handler.span))
        for hazard in elsewhere:
            self._hazard(hazard)
        canvas.y += _GAP

    def result(self) -> None:
        canvas = self.canvas
        canvas.add("circle", "end open", cx=canvas.rail, cy=canvas.y + 10, r=6)
        canvas.write("strong", "result")

    def segment(self, segment: Segment) -> None:
        canvas = self.canvas
        top = canvas.y
        canvas.write("", self._lines(segment.first, segment.last), tail=self._exits(segment))
        for hazard in segment.hazards:
            self._hazard(hazard)
        height = canvas.y - top
        canvas.add("rect", "segment", x=canvas.rail - 4, y=top, width=8, height=height, rx=4)
        canvas.y += _GAP

    def resume_point(self, point: ResumePoint) -> None:
        canvas = self.canvas
        top = canvas.y
        frame = len(canvas.shapes)
        canvas.y += 4
        if len(point.asks) > 1:
            canvas.write("strong", f"{len(point.asks)} questions in one round")
        for ask in point.asks:
            self._ask(ask, point)
        if point.carries:
            canvas.write("", "carries", tail=", ".join(point.carries))
        for hazard in point.hazards:
            self._hazard(hazard)
        canvas.y += 4
        kind = "ask maybe" if point.conditional else "ask"
        box = {
            "x": canvas.left - 8,
            "y": top,
            "width": WIDTH - canvas.left + 7,
            "height": canvas.y - top,
            "rx": 6,
        }
        canvas.shapes.insert(frame, tag("rect", {"class": kind, **box}))
        x, y = canvas.rail, top + 14
        canvas.add("path", f"diamond {kind}", d=f"M{x} {y - 9}L{x + 9} {y}L{x} {y + 9}L{x - 9} {y}Z")
        self._pause()

    def _pause(self) -> None:
        """Draw where the call ends and the retry comes in."""
        canvas = self.canvas
        y = canvas.y + 10
        canvas.add("path", "pause", d=f"M{canvas.rail - 9} {y}H{canvas.left}")
        canvas.write("quiet small", "the round ends; the retry goes on here", x=canvas.left + 6)
        canvas.y += _GAP - 4

    def _ask(self, ask: Ask, point: ResumePoint) -> None:
        answer = f"{point.answer} ← " if point.answer and len(point.asks) == 1 else ""
        may = "may ask" if point.conditional else "asks"
        here = (ask.via or (ask.span,))[0]
        self.canvas.write(
            "strong", f"{answer}{may}: {ASK_NAMES[ask.kind]}", tail=self.outcome.line_name(here)
        )
        if ask.question:
            self.canvas.write("mono", " ".join(ask.question.split()))
        if ask.via:
            self.canvas.write("quiet", f"in a helper, {self.outcome.place_from(self.path, ask.span)}")

    def _hazard(self, hazard: Finding) -> None:
        canvas = self.canvas
        self._mark(hazard)
        where = self.outcome.place_from(self.path, hazard.span)
        name = self.outcome.rules[hazard.rule].name if hazard.rule in self.outcome.rules else ""
        canvas.write(
            f"hazard {hazard.level.value}",
            f"{hazard.rule} {name}",
            x=canvas.left + 16,
            tail=where,
            href=self.link(hazard),
        )

    def _mark(self, hazard: Finding) -> None:
        """Draw a triangle. Its colour tells the level, and so does the text beside it, by the rule."""
        x, y = self.canvas.left, self.canvas.y + 4
        triangle = f"M{x + 6} {y}L{x + 12} {y + 11}H{x}Z"
        self.canvas.add("path", f"mark {hazard.level.value}", d=triangle)

    def _lines(self, first: int, last: int) -> str:
        return self.outcome.lines_name(self.path, first, last)

    def _exits(self, segment: Segment) -> str:
        if not segment.exits:
            return ""
        lines = ", ".join(str(self.outcome.shown_line(self.path, line)) for line in segment.exits)
        return f"may leave at {lines}"

    def loop_head(self, turn: Turn) -> None:
        self.canvas.write("loop", f"↻ {turn.loop.head}")

    def loop_arrow(self, distance: int, top: int, bottom: int) -> None:
        """Draw the way back from the last step of a loop to its head, `distance` lanes left of the rail."""
        canvas = self.canvas
        x = canvas.rail - _INDENT * distance
        canvas.add("path", "turn", d=f"M{canvas.rail - 6} {bottom}H{x}V{top + 10}H{canvas.rail - 8}")
        tip = f"M{canvas.rail - 6} {top + 10}l-6 -4v8Z"
        canvas.add("path", "tip", d=tip)
