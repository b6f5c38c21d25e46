"""A session: every case on every way, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mrtr_adapter.verify.answering import Script
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.catalog import Catalog
from mrtr_adapter.verify.compare import differences
from mrtr_adapter.verify.driving import Setting, run_in_rounds, run_natively
from mrtr_adapter.verify.hazards import Hazard, hazards
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import Difference, Run, Way
from mrtr_adapter.verify.scratch import Source

Verdict = Literal["equal", "different", "could not run"]


@dataclass
class Finding:
    """What came of one case."""

    case: Case
    native: Run | None = None
    others: list[Run] = field(default_factory=list)
    differences: dict[Way, list[Difference]] = field(default_factory=dict)
    hazards: list[Hazard] = field(default_factory=list)
    reason: str | None = None
    """Why it could not run."""

    @property
    def verdict(self) -> Verdict:
        if self.reason is not None:
            return "could not run"
        return "different" if any(self.differences.values()) else "equal"


@dataclass(frozen=True)
class Subject:
    """What is verified."""

    original: Source
    rewritten: Source | None = None

    @property
    def ways(self) -> list[tuple[Way, Source]]:
        """On 2026-07-28."""
        found: list[tuple[Way, Source]] = [("adapted", self.original)]
        return found if self.rewritten is None else [*found, ("rewritten", self.rewritten)]


def verify_all(
    subject: Subject,
    catalog: Catalog,
    cases: Sequence[Case],
    setting: Setting,
    *,
    allow_repeat: bool,
    progress: Callable[[Sequence[Case]], Iterable[Case]],
) -> list[Finding]:
    """Run all cases, in order. A case that can't be run says so, and the others are run."""
    return [
        _verify_one(subject, catalog, case, setting, allow_repeat=allow_repeat) for case in progress(cases)
    ]


def _verify_one(
    subject: Subject, catalog: Catalog, case: Case, setting: Setting, *, allow_repeat: bool
) -> Finding:
    try:
        catalog.check(case)
        native, script = run_natively(subject.original, case, setting)
        return compared(subject, case, native, script, setting, allow_repeat=allow_repeat)
    except CannotVerify as error:
        return Finding(case, reason=str(error))


def compared(
    subject: Subject, case: Case, native: Run, script: Script, setting: Setting, *, allow_repeat: bool
) -> Finding:
    """Run a case on 2026-07-28 and compare it with its native run.

    Raises:
        CannotVerify: the case does not fit the questions.
    """
    finding = Finding(case, native)
    if not native.outcome.ended:
        finding.reason = _why_not(case, native)
        return finding
    for way, source in subject.ways:
        other = run_in_rounds(way, source, case, script, setting)
        finding.others.append(other)
        finding.differences[way] = differences(native, other, allow_repeat=allow_repeat or case.allow_repeat)
        finding.hazards += hazards(case.request.target, native, other)
    return finding


def _why_not(case: Case, native: Run) -> str:
    if native.outcome.kind == "unanswered":
        return (
            f"natively {len(native.asked)} questions are asked, and there is no answer to the last one, "
            f"{native.asked[-1].question.text!r}: add one to the case"
        )
    return f"natively: {native.outcome.body}"
