"""One run from the arguments to the outcome: find, read, check, triage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mrtr_codemod.baseline import Baseline, read_baseline, relative_to, write_baseline
from mrtr_codemod.check import Options, check, survey_texts
from mrtr_codemod.cli.cells import findings_by_cell, handlers_by_cell
from mrtr_codemod.cli.progress import Progress
from mrtr_codemod.cli.reading import Sources, read_sources
from mrtr_codemod.cli.rulebook import rulebook
from mrtr_codemod.report.outcome import Outcome
from mrtr_codemod.selection import Selection
from mrtr_codemod.suppress import MARK
from mrtr_codemod.triage import Triage, apply_comments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mrtr_codemod.baseline import Entry
    from mrtr_codemod.cli.settings import Settings
    from mrtr_codemod.model import Report
    from mrtr_codemod.source import SourceFile


_MANY = 1000
"""Sources that take longer than a reader waits; the first of them say nothing about their progress."""


@dataclass(frozen=True)
class Run:
    """The outcome, and what there is to say about the baseline besides."""

    outcome: Outcome
    note: str | None = None


def run(
    paths: Sequence[str], settings: Settings, *, stdin_name: str, accept_in: str | None, exact: bool = False
) -> Run:
    """Check `paths` (`-` is standard input, called `stdin_name`).

    With `accept_in`, every finding that counts is accepted in that new baseline, and none is left. With `exact`, the
    verdicts say what the rewrite makes of each handler.
    Raises `UnknownSelectorError` and `BaselineError`.
    """
    selection = _selection(settings)
    baseline = read_baseline(settings.baseline) if settings.baseline and not accept_in else None
    survey = survey_texts()
    read = read_sources(paths, settings, stdin_name, survey.add)
    many = len(read.sources) > _MANY
    with (
        Progress("following asks", at_once=many) as following,
        Progress("checking", at_once=many) as checking,
    ):
        following(0, len(read.sources))
        # All rules, whatever is selected: the verdicts rest on them.
        report = check(read.sources, Options(None, following, checking, survey, exact))
    unchecked = {failure.path for failure in report.failures}
    sources = {source.path: source for source in read.sources if source.path not in unchecked}
    marked = {path: source for path, source in sources.items() if survey.mentions(source, MARK)}
    triage = apply_comments(findings_by_cell(report.findings, sources), marked, selection)
    note = None
    if accept_in:
        triage, note = _accept(triage, sources, accept_in)
    elif baseline is not None:
        triage = baseline.apply(triage, sources)
        note = _stale(baseline, triage, sources, selection)
    return Run(_outcome(report, read, triage), note)


def _outcome(report: Report, read: Sources, triage: Triage) -> Outcome:
    sources = {source.path: source for source in read.sources}
    failures = [*read.failures, *report.failures]
    return Outcome(
        files=len(read.sources) + len(read.failures),
        findings=triage.active,
        suppressed=triage.suppressed,
        handlers=tuple(handlers_by_cell(report.handlers, sources)),
        failures=tuple(sorted(failures, key=lambda failure: (failure.path, failure.reason))),
        sources=sources,
        rules=rulebook(),
    )


def _selection(settings: Settings) -> Selection:
    codes = frozenset(rulebook())
    return Selection(codes, settings.base, settings.select, settings.ignore, settings.per_file_ignores)


def _accept(triage: Triage, sources: Mapping[str, SourceFile], file: str) -> tuple[Triage, str]:
    """Write a baseline of the findings that count, and count them no more."""
    count = write_baseline(file, triage.active, sources)
    return read_baseline(file).apply(triage, sources), f"{count:,} findings accepted in {file}."


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
