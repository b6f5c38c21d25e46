"""Which of some words stand in a text, with as few searches as can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass
class _Entry:
    """A word, and those of the others that it stands in: where it is missing, they are."""

    word: str
    longer: list[_Entry] = field(default_factory=list)


class Vocabulary:
    """A set of words to look for. A word is any piece of text; capitals count."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        self._shortest: list[_Entry] = []
        for word in sorted(self.words, key=lambda word: (len(word), word)):
            _place(_Entry(word), self._shortest)

    def found_in(self, text: str) -> frozenset[str]:
        """The words that stand in a text."""
        found: list[str] = []
        pending: list[Sequence[_Entry]] = [self._shortest]
        while pending:
            for entry in pending.pop():
                if entry.word in text:
                    found.append(entry.word)
                    pending.append(entry.longer)
        return frozenset(found)


def _place(entry: _Entry, among: list[_Entry]) -> None:
    for other in among:
        if other.word in entry.word:
            _place(entry, other.longer)
            return
    among.append(entry)
