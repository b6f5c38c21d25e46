"""A session: every case on every way, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from mrtr_adapter.verify.answering import Script, Unchecked
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.catalog import Catalog
from mrtr_adapter.verify.compare import differences
from mrtr_adapter.verify.driving import run_in_rounds, run_natively
from mrtr_adapter.verify.hazards import Hazard, failed_open, hazards
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import Difference, Run, Way, described
from mrtr_adapter.verify.scratch import Source
from mrtr_adapter.verify.stage import Setting
from mrtr_adapter.verify.steadiness import unexplained

Verdict = Literal["equal", "different", "unsteady", "could not run"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass
class Finding:
    """What came of one case."""

    case: Case
    native: Run | None = None
    others: list[Run] = field(default_factory=list)
    differences: dict[Way, list[Difference]] = field(default_factory=dict)
    unsteady: list[Difference] = field(default_factory=list)
    """Between two native runs, where one on 2026-07-28 differed from the first in more than repeated effects."""
    hazards: list[Hazard] = field(default_factory=list)
    reason: str | None = None
    """Why it could not run."""

    @property
    def verdict(self) -> Verdict:
        if self.reason is not None:
            return "could not run"
        if any(self.differences.values()):
            return "different"
        return "unsteady" if self.unsteady else "equal"


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


@dataclass(frozen=True)
class Session:
    """What holds for all cases: the subject, what it lists, how it is run, and whether effects may be repeated."""

    subject: Subject
    catalog: Catalog
    setting: Setting
    allow_repeat: bool = False

    def verify(self, case: Case) -> Finding:
        """Run a case on every way. One that can't be run says so."""
        try:
            self.catalog.check(case)
            native, script = run_natively(self.subject.original, case, self.setting)
        except CannotVerify as error:
            return Finding(case, reason=str(error))
        return self.compared(case, native, script)

    def compared(self, case: Case, native: Run, script: Script) -> Finding:
        """Run a case on 2026-07-28, and compare it with its native run."""
        finding = Finding(case, native)
        if not native.outcome.ended:
            finding.reason = _why_not(case, native)
            return finding
        try:
            for way, source in self.subject.ways:
                self._compare(finding, native, run_in_rounds(way, source, case, script, self.setting))
            if any(
                each.kind != "effect repeated" for found in finding.differences.values() for each in found
            ):
                self._hold_against_itself(finding, native)
            if any(answered.refused for answered in script.answered):
                unchecked, _ = run_natively(self.subject.original, case, self.setting, Unchecked)
                finding.hazards += failed_open(case.request.target, native, unchecked)
        except CannotVerify as error:
            finding.reason = str(error)
        return finding

    def _compare(self, finding: Finding, native: Run, other: Run) -> None:
        finding.others.append(other)
        finding.differences[other.way] = self._differences(finding.case, native, other)
        finding.hazards += hazards(finding.case.request.target, native, other)

    def _hold_against_itself(self, finding: Finding, native: Run) -> None:
        """Whoever does something else each time, as with the time in its result, does so natively as well.

        What is only repeated is not worth a further run: that is what replays do.
        """
        again, _ = run_natively(self.subject.original, finding.case, self.setting)
        finding.unsteady = self._differences(finding.case, native, again)
        for way, found in finding.differences.items():
            finding.differences[way] = unexplained(found, finding.unsteady)

    def _differences(self, case: Case, native: Run, other: Run) -> list[Difference]:
        return differences(native, other, allow_repeat=self.allow_repeat or case.allow_repeat)


def _why_not(case: Case, native: Run) -> str:
    if native.outcome.kind == "unanswered":
        return (
            f"natively {described(native.asked[-1].question)!r} is asked, and the case has no answer to that"
            f"{' (what breaks its schema counts for none)' if case.answers else ''}: add one"
        )
    return f"natively: {native.outcome.body}"
