"""Rows of text and shapes that become one SVG element; text that is too long for its row is cut."""

from __future__ import annotations

from dataclasses import dataclass, field

from mrtr_codemod.report.html.markup import Markup, join, tag
from mrtr_codemod.report.visible import visible, width

WIDTH = 348
"""Pixels: as wide as a phone shows at its natural size."""
_ROW = 20
_CHARACTER = 7.3
"""Pixels that a character of the drawing's monospaced 12 pixel font takes, rounded up."""


@dataclass
class Canvas:
    """A column of rows beside a rail. `y` is where the next row begins, `rail` the place of the rail."""

    rail: int
    y: int = 10
    shapes: list[Markup] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Where the text begins."""
        return self.rail + 18

    def add(self, name: str, kind: str, /, **attributes: object) -> None:
        """Draw a shape of a class of the style sheet."""
        dashed = {key.replace("_", "-"): value for key, value in attributes.items()}
        self.shapes.append(tag(name, {"class": kind, **dashed}))

    def write(
        self, kind: str, words: str, *, x: int | None = None, tail: str = "", href: str | None = None
    ) -> None:
        """Write one row of text and move down; `tail` follows in the colour of secondary text."""
        start = self.left if x is None else x
        shown, rest = _fit(words, tail, WIDTH - start - 6)
        line = tag(
            "text",
            {"class": kind, "x": start, "y": self.y + 14},
            tag("title", {}, f"{words} {tail}".strip()),
            shown,
            tag("tspan", {"class": "quiet"}, f" {rest}") if rest else "",
        )
        self.shapes.append(tag("a", {"href": href}, line) if href else line)
        self.y += _ROW

    def svg(self, label: str) -> Markup:
        """Return what was drawn, called `label`, with the rail behind it."""
        height = self.y + 4
        rail = tag("path", {"class": "rail", "d": f"M{self.rail} 20V{height - 18}"})
        attributes = {
            "class": "flow",
            "viewBox": f"0 0 {WIDTH} {height}",
            "width": WIDTH,
            "height": height,
            "role": "group",
            "aria-label": label,
        }
        return tag("svg", attributes, rail, join(self.shapes))


def _fit(words: str, tail: str, pixels: int) -> tuple[str, str]:
    """Cut text to a width; the tail gives way first."""
    room = int(pixels / _CHARACTER)
    shown = _cut(visible(words), room)
    left = room - width(shown) - 1
    return shown, _cut(visible(tail), left) if tail and left > 4 else ""


def _cut(text: str, room: int) -> str:
    if width(text) <= room:
        return text
    while width(text) > room - 1:
        text = text[: min(len(text) - 1, room)]
    return f"{text}…"
