"""Where a text may ask: the spellings of the asks, found without parsing."""

from __future__ import annotations

import re

_STARTS = {
    "elicit": r"elicit(?:_\w+)?\b",
    "create_message": r"create_message(?:_as_task)?\b",
    "list_roots": r"list_roots\b",
    ".sample": r"\.sample(?:_step)?\b(?!\s*(?:[.\[:]|=[^=]))",
    ".send_request": r"\.send_request\b",
    "elicit_with_validation": r"elicit_with_validation\b",
    "elicit_url": r"elicit_url\s*(?:\(|as\b)",
    "UrlElicitationRequiredError": r"UrlElicitationRequiredError\b",
    "getattr(": r"getattr\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)\s*\(",
}
"""How each spelling begins, which a plain search finds fast, and the pattern that it has to match there."""
_MEMBERS = frozenset({"elicit", "create_message", "list_roots"})
"""Spellings that count only behind a dot or as the beginning of a string."""
_EVERYDAY = frozenset({".sample", ".send_request", "getattr("})
"""Spellings that other code is full of: they count only beside a word of the SDKs."""
_BESIDE = ("mcp", "ctx", "ontext")
SEED_WORDS = frozenset({*_STARTS, *_BESIDE})
_SPELLINGS = {start: re.compile(pattern) for start, pattern in _STARTS.items()}


def seeds_in(text: str, words: frozenset[str]) -> list[int]:
    """The positions in a text at which an ask may be spelled, ascending; `words` are those of `SEED_WORDS` in it."""
    found: list[int] = []
    elsewhere = words.isdisjoint(_BESIDE)
    for start, spelling in _SPELLINGS.items():
        if start not in words or (elsewhere and start in _EVERYDAY):
            continue
        position = text.find(start)
        while position >= 0:
            if spelling.match(text, position) and (start not in _MEMBERS or _is_member(text, position)):
                found.append(position)
            position = text.find(start, position + len(start))
    return sorted(found)


def _is_member(text: str, position: int) -> bool:
    """Whether what begins at a position comes after a dot, with space or a new line between them perhaps, or a
    quote."""
    before = position - 1
    while before >= 0 and (text[before].isspace() or text[before] == "\\"):
        before -= 1
    return before >= 0 and (text[before] == "." or (before == position - 1 and text[before] in "\"'"))
