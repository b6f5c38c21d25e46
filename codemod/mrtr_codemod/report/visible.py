"""Text that is safe to show: what would steer a terminal or reorder a line is written out instead."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Return `text` with control, bidirectional and invisible characters written as escapes."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)


def width(text: str) -> int:
    """The number of terminal columns that visible text takes: two for wide characters, none for marks."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
