"""One run from the arguments to the outcome: find, read, check, triage."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mrtr_codemod.baseline import Baseline, read_baseline, relative_to, write_baseline
from mrtr_codemod.check import Options, check
from mrtr_codemod.cli.cells import findings_by_cell, handlers_by_cell
from mrtr_codemod.cli.progress import Progress
from mrtr_codemod.cli.rulebook import rulebook
from mrtr_codemod.discover import find_files, read_file, read_stdin
from mrtr_codemod.discover.patterns import PathPatterns
from mrtr_codemod.model import Failure
from mrtr_codemod.report.outcome import Outcome
from mrtr_codemod.selection import Selection
from mrtr_codemod.source import SourceFile
from mrtr_codemod.triage import Triage, apply_comments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mrtr_codemod.baseline import Entry
    from mrtr_codemod.cli.settings import Settings

STDIN = "-"


@dataclass(frozen=True)
class Run:
    """The outcome, and what there is to say about the baseline besides."""

    outcome: Outcome
    note: str | None = None


def run(paths: Sequence[str], settings: Settings, *, stdin_name: str, accept_in: str | None) -> Run:
    """Check `paths` (`-` is standard input, called `stdin_name`).

    With `accept_in`, every finding that counts is accepted in that new baseline, and none is left.
    Raises `UnknownSelectorError` and `BaselineError`.
    """
    selection = _selection(settings)
    baseline = read_baseline(settings.baseline) if settings.baseline and not accept_in else None
    read = _read(paths, settings, stdin_name)
    with Progress("checking") as progress:
        report = check(read.sources, Options(progress=progress))
    sources = {source.path: source for source in read.sources}
    triage = apply_comments(findings_by_cell(report.findings, sources), sources, selection)
    note = None
    if accept_in:
        note = f"{write_baseline(accept_in, triage.active, sources):,} findings accepted in {accept_in}."
        triage = read_baseline(accept_in).apply(triage, sources)
    elif baseline is not None:
        triage = baseline.apply(triage, sources)
        note = _stale(baseline, triage, sources, selection)
    failures = [*read.failures, *report.failures]
    outcome = Outcome(
        files=len(read.sources) + len(read.failures),
        findings=triage.active,
        suppressed=triage.suppressed,
        handlers=tuple(handlers_by_cell(report.handlers, sources)),
        failures=tuple(sorted(failures, key=lambda failure: (failure.path, failure.reason))),
        sources=sources,
        rules=rulebook(),
    )
    return Run(outcome, note)


def _selection(settings: Settings) -> Selection:
    codes = frozenset(rulebook())
    return Selection(codes, settings.base, settings.select, settings.ignore, settings.per_file_ignores)


@dataclass
class _Read:
    sources: list[SourceFile] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def add(self, result: SourceFile | Failure | None) -> None:
        if isinstance(result, SourceFile):
            self.sources.append(result)
        elif result is not None:
            self.failures.append(result)


def _read(paths: Sequence[str], settings: Settings, stdin_name: str) -> _Read:
    """Read all files in the order of their paths."""
    named = [path for path in paths if path != STDIN]
    found = find_files(named, PathPatterns(settings.base, settings.exclude), os.getcwd())
    read = _Read(failures=list(found.failures))
    with Progress("reading") as progress:
        for number, candidate in enumerate(found.files):
            progress(number, len(found.files))
            read.add(read_file(candidate))
    if STDIN in paths:
        # None in a process that was started with its standard input closed.
        closed = Failure(stdin_name, "standard input is closed")
        read.add(closed if sys.stdin is None else read_stdin(stdin_name, sys.stdin.buffer))
    read.sources.sort(key=lambda source: source.path)
    return read


def _stale(
    baseline: Baseline, triage: Triage, sources: Mapping[str, SourceFile], selection: Selection
) -> str | None:
    """Say how many accepted findings are gone, among those that this run would have found."""
    checked = {relative_to(path, baseline.file.parent) for path in sources}

    def was_looked_for(entry: Entry) -> bool:
        return entry.path in checked and entry.rule in selection.enabled

    count = baseline.stale(triage, sources, was_looked_for)
    if not count:
        return None
    return f"{count:,} findings of the baseline are gone; make it anew with --write-baseline {baseline.file.name}."
