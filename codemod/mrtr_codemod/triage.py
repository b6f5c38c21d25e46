"""Findings that count, and findings that someone has answered for in a comment or in the baseline."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from mrtr_codemod.model import Finding, Level
from mrtr_codemod.suppress import Suppression, find_suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mrtr_codemod.selection import Selection
    from mrtr_codemod.source import SourceFile

MALFORMED = "MRTR001"
UNUSED = "MRTR002"


class By(Enum):
    """Who answers for a suppressed finding, in the words of SARIF."""

    COMMENT = "inSource"
    BASELINE = "external"


@dataclass(frozen=True)
class Suppressed:
    """A finding that does not count, and why."""

    finding: Finding
    by: By
    reason: str


@dataclass(frozen=True)
class Triage:
    """The findings of a run: those that count, and the suppressed ones."""

    active: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]


def apply_comments(
    findings: Iterable[Finding], sources: Mapping[str, SourceFile], selection: Selection
) -> Triage:
    """Set apart what suppression comments answer for, and complain of comments that are out of order.

    A comment that names no rule, an unknown one or no reason suppresses nothing (MRTR001); a rule that it
    names in vain makes it unused (MRTR002), unless that rule does not apply to the file.
    """
    comments = {path: _Comments(find_suppressions(source), selection) for path, source in sources.items()}
    active: list[Finding] = []
    suppressed: list[Suppressed] = []
    for finding in findings:
        if not selection.applies(finding.rule, finding.span.path):
            continue
        comment = comments[finding.span.path].take(finding) if finding.span.path in comments else None
        if comment is None:
            active.append(finding)
        else:
            suppressed.append(Suppressed(finding, By.COMMENT, comment.reason))
    complaints = [complaint for path, file in comments.items() for complaint in file.complaints(path)]
    return Triage(tuple(sorted([*active, *complaints], key=_place)), tuple(suppressed))


def _place(finding: Finding) -> tuple[object, ...]:
    return (finding.span, finding.rule, finding.message)


class _Comments:
    """The comments of one file, and which of their codes were of use."""

    def __init__(self, comments: Sequence[Suppression], selection: Selection) -> None:
        self._problems = [(comment, comment.problem(selection.codes)) for comment in comments]
        self._valid = [comment for comment, problem in self._problems if problem is None]
        self._used: defaultdict[Suppression, set[str]] = defaultdict(set)
        self._selection = selection

    def take(self, finding: Finding) -> Suppression | None:
        for comment in self._valid:
            if comment.covers(finding.rule, finding.span.line):
                self._used[comment].add(finding.rule)
                return comment
        return None

    def complaints(self, path: str) -> list[Finding]:
        malformed = [
            Finding(MALFORMED, Level.WARNING, problem, comment.span)
            for comment, problem in self._problems
            if problem is not None
        ]
        unused = [
            Finding(
                UNUSED, Level.WARNING, f"no {code} to suppress here; remove it from the comment", comment.span
            )
            for comment in self._valid
            for code in comment.codes
            if code not in self._used[comment] and self._selection.applies(code, path)
        ]
        return [found for found in [*malformed, *unused] if self._selection.applies(found.rule, path)]
