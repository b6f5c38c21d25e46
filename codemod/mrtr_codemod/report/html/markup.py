"""HTML and SVG that are escaped by construction: a `str` is text, only `Markup` is markup."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from mrtr_codemod.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_VOID = {"br", "col", "hr", "img", "input", "link", "meta"}
_CODE = re.compile(r"`([^`]+)`")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: str) -> Markup:
    """Escape text for a page. Characters that would reorder or hide a part of it are written out."""
    if value.isprintable():
        return Markup(escape(value))
    shown = "\n".join("\t".join(map(visible, line.split("\t"))) for line in value.split("\n"))
    return Markup(escape(shown))


def tag(name: str, attributes: Mapping[str, object] | None = None, /, *children: str) -> Markup:
    """Build an element. An attribute that is None or False is left out, True stands without a value."""
    pairs = "".join(_attribute(key, value) for key, value in (attributes or {}).items())
    if name in _VOID:
        return Markup(f"<{name}{pairs}>")
    return Markup(f"<{name}{pairs}>{join(children)}</{name}>")


def join(parts: Iterable[str], between: str = "") -> Markup:
    """Put parts one after the other, escaping those that are text."""
    return Markup(_safe(between).join(map(_safe, parts)))


def prose(value: str) -> Markup:
    """Escape a sentence in which `backticks` mark code."""
    return join(
        tag("code", {}, part) if number % 2 else text(part) for number, part in enumerate(_CODE.split(value))
    )


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    return f" {key}" if value is True else f' {key}="{text(str(value))}"'


def _safe(part: str) -> str:
    return part if isinstance(part, Markup) else text(part)
