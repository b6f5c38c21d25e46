"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from mrtr_codemod.model import Finding, Level

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

SPEC = "https://modelcontextprotocol.io/specification/2026-07-28/"
MRTR_SPEC = SPEC + "basic/patterns/mrtr"
Example: TypeAlias = str | Mapping[str, str]
"""The text of a file, or several files by path."""


@dataclass(frozen=True)
class Rule:
    """One thing that the lint looks for, with its documentation and its examples.

    `check` is called with each file that contains one of `words` and whose text `concerns` the rule, if it says so;
    a file that no rule wants to see is not parsed. A rule without words, or one that wants `asking` files as well,
    is called with each file in which a function asks, itself or through others. It yields findings in any order,
    made with `FileView.finding`. `valid` are sources without a finding of this rule, `invalid` ones with at least
    one; both are its tests.
    """

    code: str
    name: str
    level: Level
    """The level of its findings unless one says otherwise. An error: on 2026-07-28 the handler cannot work under
    any migration, or acts without the answer that it asked for. A warning: it must be migrated with care."""
    summary: str
    what: str
    why: str
    example: str
    remedy: str
    reference: str
    """URL of the section of the specification, or of the document, that it rests on."""
    check: Callable[[FileView], Iterator[Finding]] = field(repr=False)
    words: tuple[str, ...] = ()
    concerns: Callable[[str], object] | None = field(default=None, repr=False)
    asking: bool = False
    valid: tuple[Example, ...] = field(default=(), repr=False)
    invalid: tuple[Example, ...] = field(default=(), repr=False)
