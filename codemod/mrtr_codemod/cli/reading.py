"""From the arguments to decoded sources."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mrtr_codemod.cli.progress import Progress
from mrtr_codemod.discover import Files, find_files, read_stdin
from mrtr_codemod.discover.patterns import PathPatterns
from mrtr_codemod.model import Failure
from mrtr_codemod.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mrtr_codemod.cli.settings import Settings

STDIN = "-"


@dataclass
class Sources:
    """The sources of a run in the order of their paths, and what could not be read."""

    seen: Callable[[SourceFile], None]
    sources: list[SourceFile] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def add(self, result: SourceFile | Failure | None) -> None:
        if isinstance(result, SourceFile):
            self.sources.append(result)
            self.seen(result)
        elif result is not None:
            self.failures.append(result)


def read_sources(
    paths: Sequence[str], settings: Settings, stdin_name: str, seen: Callable[[SourceFile], None]
) -> Sources:
    """Read all that `paths` name; `-` is standard input, called `stdin_name`. `seen` is called with each source
    while its text is at hand."""
    named = [path for path in paths if path != STDIN]
    found = find_files(named, PathPatterns(settings.base, settings.exclude), os.getcwd())
    files = Files()
    read = Sources(seen, failures=list(found.failures))
    with Progress("reading") as progress:
        for number, candidate in enumerate(found.files):
            progress(number, len(found.files))
            read.add(files.read(candidate))
    if STDIN in paths:
        # None in a process that was started with its standard input closed.
        closed = Failure(stdin_name, "standard input is closed")
        read.add(closed if sys.stdin is None else read_stdin(stdin_name, sys.stdin.buffer))
    read.sources.sort(key=lambda source: source.path)
    return read
