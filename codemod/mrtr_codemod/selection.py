"""Which rules apply where: `--select`, `--ignore`, `--per-file-ignores`, by code or by the start of one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mrtr_codemod.discover.patterns import PathPatterns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ALL = "ALL"


class UnknownSelectorError(ValueError):
    """A selector that names no rule; the message says which."""


@dataclass(frozen=True)
class PerFileIgnore:
    """Rules that do not apply to the files which a pattern matches."""

    pattern: str
    selectors: tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """The rules of a run. The longest selector that fits a code decides; between equals, ignoring wins.

    `codes` are all rules there are. `base` is the absolute directory that the patterns start from.
    Raises `UnknownSelectorError` for a selector that fits none of them.
    """

    codes: frozenset[str]
    base: str
    select: tuple[str, ...] = (ALL,)
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[PerFileIgnore, ...] = ()

    def __post_init__(self) -> None:
        per_file = [selector for entry in self.per_file_ignores for selector in entry.selectors]
        for selector in (*self.select, *self.ignore, *per_file):
            if not any(_fits(selector, code) for code in self.codes):
                raise UnknownSelectorError(f"{selector!r} names no rule; `mrtr rules` lists them all")

    @cached_property
    def enabled(self) -> frozenset[str]:
        """The codes that apply to a file which no pattern matches."""
        return frozenset(code for code in self.codes if self._is_enabled(code))

    def applies(self, code: str, path: str) -> bool:
        """Tell whether the rule `code` applies to `path`, absolute or relative to the working directory."""
        return code in self.enabled and code not in self._ignored_in(os.path.abspath(path))

    def _is_enabled(self, code: str) -> bool:
        return _best_fit(self.select, code) > _best_fit(self.ignore, code)

    def _ignored_in(self, location: str) -> Collection[str]:
        return {
            code
            for patterns, selectors in self._patterns
            if patterns.match(location)
            for code in self.codes
            if _best_fit(selectors, code) >= 0
        }

    @cached_property
    def _patterns(self) -> tuple[tuple[PathPatterns, tuple[str, ...]], ...]:
        return tuple(
            (PathPatterns(self.base, (entry.pattern,)), entry.selectors) for entry in self.per_file_ignores
        )


def _fits(selector: str, code: str) -> bool:
    return selector == ALL or (selector.startswith("MRTR") and code.startswith(selector))


def _best_fit(selectors: Iterable[str], code: str) -> int:
    """The length of the longest selector that fits; -1 if none does."""
    return max((0 if s == ALL else len(s) for s in selectors if _fits(s, code)), default=-1)
