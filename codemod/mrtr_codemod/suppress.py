"""Comments that say why a finding may stand: `# mrtr: ignore[MRTR301] -- the reason`."""

from __future__ import annotations

import re
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mrtr_codemod.model import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mrtr_codemod.source import SourceFile

MARK = "mrtr:"
"""No file without it has such a comment."""
_COMMENT = re.compile(r"#\s*mrtr:\s*ignore\b(?P<rest>.*)", re.DOTALL)
_WELL_FORMED = re.compile(r"\s*\[(?P<codes>[^\]]*)\]\s*(?:--\s*(?P<reason>.*))?$", re.DOTALL)
_EXAMPLE = "# mrtr: ignore[MRTR301] -- why it is right here"
_LAYOUT = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Suppression:
    """One comment. It speaks for findings that begin on the lines from `first` to `last`.

    These are the lines of the statement that it stands in (for a compound statement its head), or of the next
    one if it stands alone; above a decorator they reach to the `def`.
    """

    span: Span
    codes: tuple[str, ...]
    reason: str
    first: int
    last: int

    def covers(self, code: str, line: int) -> bool:
        """Tell whether the comment speaks for a finding of rule `code` that begins on `line`."""
        return code in self.codes and self.first <= line <= self.last

    def problem(self, known: Collection[str]) -> str | None:
        """Say why the comment suppresses nothing, and how to write it; None if it is in order."""
        if not self.codes:
            return f"the suppression names no rule; write {_EXAMPLE}"
        unknown = [code for code in self.codes if code not in known]
        if unknown:
            return f"{unknown[0]} is no rule; `mrtr rules` lists them all"
        if not self.reason:
            return f"the suppression gives no reason, so it does not count; write {_EXAMPLE}"
        return None


def find_suppressions(source: SourceFile) -> list[Suppression]:
    """Return the suppression comments of a file, in their order."""
    if MARK not in source.text:
        return []
    return [_suppression(source, *placed) for placed in _placed_comments(source)]


def _placed_comments(source: SourceFile) -> Iterator[tuple[tokenize.TokenInfo, int, int]]:
    """Pair each suppression comment with the first and last line that it speaks for."""
    waiting: list[tokenize.TokenInfo] = []
    first: int | None = None
    at_start, decorator = True, False
    for token in _tokens(source):
        if token.type == tokenize.COMMENT:
            if _COMMENT.search(token.string):
                waiting.append(token)
        elif token.type == tokenize.NEWLINE:
            at_start = True
            if not decorator:
                for comment in waiting:
                    yield comment, min(first or token.start[0], comment.start[0]), token.start[0]
                waiting, first = [], None
        elif token.type not in _LAYOUT:
            if at_start:
                at_start, decorator = False, token.string == "@"
            first = first or token.start[0]
    for comment in waiting:
        yield comment, comment.start[0], comment.start[0]


def _tokens(source: SourceFile) -> Iterator[tokenize.TokenInfo]:
    lines = iter([f"{line}\n" for line in source.lines])
    try:
        yield from tokenize.generate_tokens(lambda: next(lines, ""))
    except (tokenize.TokenError, SyntaxError):
        return  # A file that does not parse has no findings to suppress: it is a failure.


def _suppression(source: SourceFile, token: tokenize.TokenInfo, first: int, last: int) -> Suppression:
    found = _COMMENT.search(token.string)
    assert found is not None
    line, column = token.start[0], token.start[1] + found.start() + 1
    span = Span(source.path, line, column, line, token.end[1] + 1)
    parts = _WELL_FORMED.match(found["rest"])
    codes = tuple(code.strip() for code in parts["codes"].split(",") if code.strip()) if parts else ()
    return Suppression(span, codes, (parts["reason"] or "").strip() if parts else "", first, last)
