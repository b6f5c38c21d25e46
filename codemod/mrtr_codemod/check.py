"""The check of a repo: sources in, report out."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.report import handlers_of
from mrtr_codemod.analysis.views import file_view
from mrtr_codemod.model import Failure, Finding, Report
from mrtr_codemod.parallel import spread
from mrtr_codemod.project import Project
from mrtr_codemod.rules import Rule, all_rules
from mrtr_codemod.source import SourceFile

Progress = Callable[[int, int], None]
"""Called with how many files were checked, and how many there are."""


_TELLING = (
    "mcp", "MCP", "licit", "requestState", "request_state", "resultType", "32042", "includeContext", "createMessage",
    "tools/call", "prompts/get", "resources/read", "requestedSchema", "mrtr_steps",
)  # fmt: skip
"""A file without any of these has to do with neither the protocol nor its SDKs."""


@dataclass(frozen=True)
class Options:
    """`select` are the codes of the rules to run, None for all of them."""

    select: frozenset[str] | None = None
    progress: Progress | None = None


def check(sources: Iterable[SourceFile], options: Options | None = None) -> Report:
    """Check sources together: calls are followed from file to file.

    Nothing is imported or executed. Findings are sorted by place; suppressions and baselines are not
    applied. A file that cannot be parsed, or is nested too deeply to be looked at, is among the report's
    failures. Files in which nothing points to an ask, and which no rule wants to see, are not parsed at all.
    """
    options = options or Options()
    with _few_pauses():
        project = Project(sources)
        rules = [rule for rule in all_rules() if options.select is None or rule.code in options.select]
        analysis = Analysis(project)
        findings = sorted(_findings(analysis, rules, options.progress), key=_place)
        handlers = handlers_of(analysis, findings)
    return Report(
        files=len(project.sources),
        findings=findings,
        handlers=handlers,
        failures=[project.failures[path] for path in sorted(project.failures)],
    )


def _findings(analysis: Analysis, rules: Iterable[Rule], progress: Progress | None) -> list[Finding]:
    """What the rules find, file by file, on as many processors as there is work for."""
    due = list(_due(analysis, list(rules)))
    total = len(analysis.project.sources)
    done = total - len(due)
    found: list[Finding] = []
    for result in spread(partial(_in_file, analysis), due):
        done += 1
        found.extend(result.findings)
        for failure in result.failures:
            analysis.project.fail(failure.path, failure.reason)
        if progress is not None:
            progress(done, total)
    return found


def _due(analysis: Analysis, rules: Sequence[Rule]) -> Iterator[tuple[str, list[Rule]]]:
    """The files that a rule wants to see, each with those rules."""
    project = analysis.project
    words = frozenset(word for rule in rules for word in rule.words)
    for path in sorted(project.sources):
        text = project.sources[path].text
        found = {word for word in words if word in text} if any(word in text for word in _TELLING) else set()
        wanted = [rule for rule in rules if _concerns(rule, path, text, found, analysis)]
        if wanted:
            yield path, wanted


def _concerns(rule: Rule, path: str, text: str, found: set[str], analysis: Analysis) -> bool:
    """Whether a rule wants to see a file in which some of all words were found."""
    if (rule.asking or not rule.words) and path in analysis.asking_paths:
        return True
    return not found.isdisjoint(rule.words) and (rule.pattern is None or bool(rule.pattern.search(text)))


class _Result(NamedTuple):
    findings: list[Finding]
    failures: list[Failure]


def _in_file(analysis: Analysis, work: tuple[str, list[Rule]]) -> _Result:
    path, rules = work
    project = analysis.project
    known = set(project.failures)
    findings: list[Finding] = []
    try:
        view = file_view(analysis, path)
        if view is not None:
            findings = list(dict.fromkeys(finding for rule in rules for finding in rule.check(view)))
    except RecursionError:
        project.fail(path, "nested too deeply to be checked")
    return _Result(findings, [failure for name, failure in project.failures.items() if name not in known])


def _place(finding: Finding) -> tuple[object, ...]:
    return (finding.span, finding.rule, finding.message)


@contextmanager
def _few_pauses() -> Iterator[None]:
    """Syntax trees have no cycles: collecting garbage while they are built costs half the time and frees
    nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the code that is read
            yield
    finally:
        if enabled:
            gc.enable()
