"""The code blocks of the documentation, each with what the comment above it says about how it is run.

A comment of the form

    <!-- run: tree=desk exit=1 -->

directly above a block is not shown to readers. What it may say is in `Notes`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
GENERATED = ("docs/api.md", "docs/commands.md", "docs/rules.md")
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in [ROOT / "README.md", ROOT / "samples" / "README.md", *(ROOT / "docs").glob("*.md")]
)


@dataclass(frozen=True)
class Notes:
    """How a block is run."""

    tree: str = ""
    """Before it, the files of `trees/NAME` are put into the working directory."""
    context: str = ""
    """A Python block sees the names of `contexts/NAME.py`, which may also check what it did."""
    file: str = ""
    """The block is the content of this file, rather than run."""
    shows: str = ""
    """The block is a part of this file as it is by now."""
    serve: str = ""
    """Before it, `mrtr run` serves this file at the address of the page."""
    behind: str = ""
    """Before it, this old server is started over HTTP; it is what the page calls https://old/mcp."""
    exit: str = "0"
    """The exit codes of its commands, by commas; the last one also of those that follow."""
    needs: str = ""
    """What they need beyond Python, as `needs.needs` knows it."""


@dataclass(frozen=True)
class Block:
    """A code block."""

    page: str
    line: int
    language: str
    """Empty for one that is indented or whose fence says nothing."""
    text: str
    notes: Notes = field(default_factory=Notes)

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def first_line(self) -> str:
        return self.text.strip().splitlines()[0]


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, in their order."""
    notes = Notes()
    for token in MarkdownIt("commonmark").parse((ROOT / page).read_text()):
        if token.type == "html_block":
            notes = _notes(token.content)
        elif token.type in ("fence", "code_block"):
            line = token.map[0] + 1 if token.map else 0
            yield Block(page, line, token.info.split(" ")[0], token.content, notes)
            notes = Notes()
        elif token.type == "inline":
            notes = Notes()


def _notes(comment: str) -> Notes:
    text = comment.strip().removeprefix("<!--").removesuffix("-->").strip()
    if not text.startswith("run:"):
        return Notes()
    given = dict(word.split("=", 1) for word in shlex.split(text.removeprefix("run:")))
    unknown = given.keys() - {each.name for each in fields(Notes)}
    assert not unknown, f"{comment}: no block is run by {unknown}"
    return Notes(**given)
