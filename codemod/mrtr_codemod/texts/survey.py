"""The one look at each text of a run: what stands in it, and which checks it concerns."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mrtr_codemod.source import SourceFile
from mrtr_codemod.texts.imports import imported_words
from mrtr_codemod.texts.lines import lines_at
from mrtr_codemod.texts.seeds import SEED_WORDS, seeds_in
from mrtr_codemod.texts.vocabulary import Vocabulary

_ROOTS = frozenset({"oots", "mrtr", "equestState", "reateMessage"})
"""Pieces that several words of the rules have in common: one search for them all, most often in vain."""


class Topic(NamedTuple):
    """What a text is about if one of the words stands in it, and if it `concerns` the topic besides."""

    name: str
    words: Sequence[str]
    concerns: Callable[[str], object] | None = None


def _as_names(text: str) -> str:
    """A text as Python reads the names in it: `ｅlicit` is `elicit`. Its lines stay the same."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", text)


class Survey:
    """What was seen of the sources of a run. A text that concerns nobody is let go at once.

    Only a text in which one of `telling` stands is about a topic.
    """

    def __init__(
        self, topics: Iterable[Topic] = (), telling: Iterable[str] = (), also: Iterable[str] = ()
    ) -> None:
        self._topics = tuple(topics)
        self._telling = tuple(telling)
        self._everywhere = Vocabulary(SEED_WORDS | frozenset(also))
        words = {word for topic in self._topics for word in topic.words}
        self._vocabulary = Vocabulary(words | self._everywhere.words | _ROOTS)
        self._words: dict[str, frozenset[str]] = {}
        self._equal: dict[frozenset[str], frozenset[str]] = {}
        self.seeds: dict[str, list[int]] = {}
        """By path, the lines on which an ask may be spelled."""
        self.topics: dict[str, frozenset[str]] = {}
        """By path, the names of the topics."""
        self.importing: defaultdict[str, list[str]] = defaultdict(list)
        """For each word in import statements, the paths of the files that have it there."""

    def add(self, source: SourceFile) -> None:
        """Look at a source, if that was not done already."""
        path = source.path
        if path in self._words:
            return
        text = _as_names(source.text)
        tells = any(word in text for word in self._telling)
        words = (self._vocabulary if tells else self._everywhere).found_in(text)
        words = self._words[path] = self._equal.setdefault(words, words)
        seeds = seeds_in(text, words)
        if seeds:
            self.seeds[path] = lines_at(text, seeds)
        topics = self._topics_of(text, words) if tells else frozenset()
        if topics:
            self.topics[path] = topics
        for word in imported_words(text):
            self.importing[word].append(path)
        if not (seeds or topics):
            source.release()

    def mentions(self, source: SourceFile, word: str) -> bool:
        """Whether a word stands in a source."""
        if word in self._everywhere.words and source.path in self._words:
            return word in self._words[source.path]
        return word in source.text

    def _topics_of(self, text: str, words: frozenset[str]) -> frozenset[str]:
        return frozenset(
            topic.name
            for topic in self._topics
            if not words.isdisjoint(topic.words) and (topic.concerns is None or topic.concerns(text))
        )
