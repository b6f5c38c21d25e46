"""Small replacements in a source text, by the positions of `ast`: what no edit touches stays as it was, to the byte."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

_NEWLINE = re.compile(r"\r\n|\r|\n")
Node = ast.expr | ast.stmt | ast.alias | ast.keyword | ast.arg | ast.ExceptHandler


@dataclass
class Edits:
    """Edits of one text. An edit inside a stretch that another one replaces is dropped with it."""

    text: str
    _edits: list[tuple[int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(self.text))]
        found = _NEWLINE.search(self.text)
        self.newline = found.group() if found else "\n"

    def at(self, line: int, column: int) -> int:
        """The offset of a position; `ast` counts columns in bytes of UTF-8."""
        start, end = self.line(line)
        written = self.text[start:end]
        return start + (
            column if written.isascii() else len(written.encode("utf-8", "surrogatepass")[:column].decode())
        )

    def line(self, number: int) -> tuple[int, int]:
        """Where a line begins, and where the next one does."""
        return self._starts[number - 1], self._starts[number] if number < len(self._starts) else len(
            self.text
        )

    def lines(self, node: Node) -> tuple[int, int]:
        """The whole lines of a node."""
        assert node.end_lineno is not None
        return self.line(node.lineno)[0], self.line(node.end_lineno)[1]

    def start(self, node: Node) -> int:
        return self.at(node.lineno, node.col_offset)

    def end(self, node: Node) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.end_lineno, node.end_col_offset)

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a stretch; once only, however often it is asked for."""
        if (start, end, text) not in self._edits:
            self._edits.append((start, end, text))

    def rewrite(self, node: Node, text: str) -> None:
        self.replace(self.start(node), self.end(node), text)

    def insert(self, offset: int, text: str) -> None:
        self._edits.append((offset, offset, text))

    def written(self, node: Node) -> str:
        """The source of a node with the edits made so far."""
        return self._applied(self.start(node), self.end(node))

    def result(self) -> str:
        return self._applied(0, len(self.text))

    def _applied(self, start: int, end: int) -> str:
        inside = [e for e in self._edits if start <= e[0] and e[1] <= end]
        # The wider of two that begin together first; what it covers is then behind `place`.
        inside.sort(key=lambda e: (e[0], e[0] != e[1], -e[1]))
        parts, place = [], start
        for first, last, new in inside:
            if first < place:
                continue
            parts += [self.text[place:first], new]
            place = last
        return "".join([*parts, self.text[place:end]])

    def below(self, stmt: ast.stmt) -> int:
        """The end of a block's last line, with the comments that follow inside of the block."""
        assert stmt.end_lineno is not None
        end = self.line(stmt.end_lineno)[1]
        for number in range(stmt.end_lineno + 1, len(self._starts) + 1):
            start, after = self.line(number)
            written = self.text[start:after]
            inside = len(written) - len(written.lstrip()) > stmt.col_offset
            if written.strip() and not (inside and written.lstrip().startswith("#")):
                break
            if written.strip():
                end = after
        return end - len(self.text[:end]) + len(self.text[:end].rstrip("\r\n"))

    # ── calls ─────────────────────────────────────────────────────────────────────────────────

    def drop_arguments(self, call: ast.Call, gone: list[ast.expr | ast.keyword]) -> None:
        """Take arguments out of a call, each with the comma that belongs to it."""
        given = arguments(call)
        kept = [a for a in given if a not in gone]
        for index, argument in enumerate(given):
            if argument not in gone:
                continue
            before = [a for a in given[:index] if a in kept]
            if lines := self._own_lines(argument):
                self.replace(*lines, "")
            elif before:
                self.replace(self.end(given[index - 1]), self.end(argument), "")
            elif index + 1 < len(given):
                self.replace(self.start(argument), self.start(given[index + 1]), "")
            else:
                self.replace(self.start(argument), self.end(call) - 1, "")

    def _own_lines(self, argument: Node) -> tuple[int, int] | None:
        """The lines of an argument that shares them with nothing but its comma and a comment."""
        first, last = self.lines(argument)
        head, tail = self.text[first : self.start(argument)], self.text[self.end(argument) : last]
        alone = not head.strip() and re.fullmatch(r"\s*,\s*(#.*)?\s*", tail) is not None
        return (first, last) if alone else None

    def add_arguments(self, call: ast.Call, added: list[str]) -> None:
        """Append arguments to a call, behind those that stay."""
        kept = [a for a in arguments(call) if not self._dropped(a)]
        text = ", ".join(added)
        if text and kept:
            self.insert(self.end(kept[-1]), f", {text}")
        elif text:
            self.insert(self.end(call) - 1, text)

    def _dropped(self, node: Node) -> bool:
        start, end = self.start(node), self.end(node)
        return any(first <= start and end <= last and not new for first, last, new in self._edits)


def arguments(call: ast.Call) -> list[ast.expr | ast.keyword]:
    """Positional and keyword arguments in the order of the source."""
    both: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    return sorted(both, key=lambda a: (a.lineno, a.col_offset))


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """The keyword argument of that name."""
    return next((k for k in call.keywords if k.arg == name), None)
