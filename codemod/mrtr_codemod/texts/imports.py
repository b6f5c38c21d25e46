"""The names in the import statements of a text."""

from __future__ import annotations

import re

HERE = "."
"""Stands for the package that `from . import x` means."""
_WORD = re.compile(r"\w+")
_HEAD = re.compile(r".*[:;]\s*(?:from\b.*)?\Z", re.DOTALL)
"""What stands before the word `import` when there is another statement before its own."""
_RELATIVE = re.compile(r"\bfrom\s+\.+\s+import")
_LONGEST = 20_000


def imported_words(text: str) -> set[str]:
    """The names in the import statements of a text; too many for one with such words in its prose."""
    words: set[str] = set()
    position = text.find("import")
    while position >= 0:
        start = _line_start(text, position)
        whole = not text[position + 6 : position + 7].isidentifier()
        if whole and _may_import(text[start:position]):
            statement = text[start : _end(text, position)]
            if len(statement) < _LONGEST:
                words.update(_WORD.findall(statement))
                if _RELATIVE.search(statement):
                    words.add(HERE)
        position = text.find("import", position + 6)
    return words


def _may_import(head: str) -> bool:
    """Whether the word `import` is the statement's, by what stands before it on its line."""
    bare = head.lstrip()
    return not bare or bare.startswith("from") or bool(_HEAD.match(head))


def _line_start(text: str, position: int) -> int:
    """Where the line begins, or the first of those that end in a backslash above it."""
    start = _after_newline(text, position)
    while start and text[max(start - 3, 0) : start].rstrip("\r\n").endswith("\\"):
        start = _after_newline(text, start - 2)
    return start


def _after_newline(text: str, position: int) -> int:
    return max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1


def _end(text: str, position: int) -> int:
    """Where a statement ends whose word `import` is at `position`: at the bracket that closes it, or with the line."""
    end = -1
    if "(" in text[position : position + 10]:
        end = text.find(")", position)
        while end >= 0 and "#" in text[text.rfind("\n", position, end) + 1 or position : end]:
            end = text.find(")", end + 1)
    if end < 0:
        end = text.find("\n", position)
    return end if end >= 0 else len(text)
