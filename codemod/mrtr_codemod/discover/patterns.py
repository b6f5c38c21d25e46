"""Path patterns in the syntax of .gitignore."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec


def compile_patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """Compile patterns, without those that git would not understand either."""
    # Imported where it is needed: most runs have no pattern, and all of them would wait for it.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(line for line in lines if is_pattern(line))


def is_pattern(line: str) -> bool:
    """Tell whether `line` is a pattern, a comment or blank."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class PathPatterns:
    """Patterns relative to `base`, an absolute directory. A pattern without `/` matches at any depth."""

    base: str
    patterns: tuple[str, ...] = ()

    def match(self, location: str) -> bool:
        """Tell whether a pattern matches `location` (absolute) or a directory that it is in."""
        prefix = self.base.rstrip(os.sep) + os.sep
        if not self.patterns or not location.startswith(prefix):
            return False
        return self._spec.match_file(location[len(prefix) :].replace(os.sep, "/"))

    @cached_property
    def _spec(self) -> GitIgnoreSpec:
        return compile_patterns(self.patterns)
