"""The check of a repo: sources in, report out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.migrated import MADE
from mrtr_codemod.analysis.report import handlers_of
from mrtr_codemod.analysis.views import file_view
from mrtr_codemod.foresight import foreseen_handlers
from mrtr_codemod.model import Failure, Finding, Report
from mrtr_codemod.parallel import spread
from mrtr_codemod.pauses import few_pauses
from mrtr_codemod.progress import Progress
from mrtr_codemod.project import CHANGED, Project
from mrtr_codemod.rules import Rule, all_rules
from mrtr_codemod.source import SourceFile
from mrtr_codemod.suppress import MARK
from mrtr_codemod.texts.survey import Survey, Topic

_TELLING = (
    "mcp", "MCP", "licit", "requestState", "request_state", "resultType", "32042", "includeContext", "createMessage",
    "tools/call", "prompts/get", "resources/read", "requestedSchema", "mrtr_steps",
)  # fmt: skip
"""A file without any of these has to do with neither the protocol nor its SDKs."""


@dataclass(frozen=True)
class Options:
    """`select` are the codes of the rules to run, None for all of them.

    `following` is told of the files in which asks were followed to their callers, `progress` of those checked.
    """

    select: frozenset[str] | None = None
    following: Progress | None = None
    progress: Progress | None = None
    survey: Survey | None = None
    """What is known already of texts that were looked at while they were read."""
    exact: bool = False
    """Whether verdicts say what the rewrite makes of each handler, and not what it is expected to."""


def check(sources: Iterable[SourceFile], options: Options | None = None) -> Report:
    """Check sources together: calls are followed from file to file.

    Nothing is imported or executed. Findings are sorted by place; suppressions and baselines are not
    applied. A file that cannot be parsed, or is nested too deeply to be looked at, is among the report's
    failures. Files in which nothing points to an ask, and which no rule wants to see, are not parsed at all.
    """
    options = options or Options()
    with few_pauses(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the code that is read
        project = Project(sources, options.survey or survey_texts())
        rules = [rule for rule in all_rules() if options.select is None or rule.code in options.select]
        analysis = Analysis(project, options.following)
        findings = sorted(_findings(analysis, rules, options.progress), key=_place)
        handlers = handlers_of(analysis, findings, foreseen_handlers(analysis) if options.exact else None)
        for source in project.sources.values():
            if source.changed:
                project.fail(source.path, CHANGED)
    return Report(
        files=len(project.sources),
        findings=findings,
        handlers=handlers,
        failures=[project.failures[path] for path in sorted(project.failures)],
    )


def _findings(analysis: Analysis, rules: Iterable[Rule], progress: Progress | None) -> list[Finding]:
    """What the rules find, file by file, on as many processors as there is work for."""
    # Those first whose trees are at hand.
    due = sorted(_due(analysis, list(rules)), key=lambda work: not analysis.project.is_parsed(work[0]))
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


def survey_texts() -> Survey:
    """What a check wants to know of each text; see `Options.survey`."""
    topics = [Topic(rule.code, rule.words, rule.concerns) for rule in all_rules() if rule.words]
    return Survey(topics, _TELLING, (MARK, MADE))


def _due(analysis: Analysis, rules: Sequence[Rule]) -> Iterator[tuple[str, list[Rule]]]:
    """The files that a rule wants to see, each with those rules."""
    project = analysis.project
    for path in sorted(project.survey.topics.keys() | analysis.asking_paths):
        topics = project.survey.topics.get(path, frozenset())
        asks = path in analysis.asking_paths
        wanted = [rule for rule in rules if rule.code in topics or (asks and (rule.asking or not rule.words))]
        if wanted:
            yield path, wanted


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
    if project.sources[path].changed:
        project.fail(path, CHANGED)
    return _Result(findings, [failure for name, failure in project.failures.items() if name not in known])


def _place(finding: Finding) -> tuple[object, ...]:
    return (finding.span, finding.rule, finding.message)
