"""All that a report is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mrtr_adapter.verify.explore.left_out import LeftOut
from mrtr_adapter.verify.explore.reach import Reach
from mrtr_adapter.verify.hazards import Hazard
from mrtr_adapter.verify.verification import Finding, Verdict

UNSTEADY = (
    "natively it does not do the same twice; leave what varies out of the comparison with --volatile REGEX"
)


class Became(NamedTuple):
    """A hazard that became real, as it did in the first of these cases."""

    hazard: Hazard
    cases: list[str]


@dataclass(frozen=True)
class Outcome:
    """The findings of a session, and the files that they are about, as they were named."""

    file: str
    rewritten: str | None
    findings: Sequence[Finding]
    reached: Sequence[Reach] = ()
    """Of the original file, if it was explored."""
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def status(self) -> int:
        """The exit status: 1 if anything differs, else 2 if anything could not be compared, else 0."""
        if self.count("different"):
            return 1
        return 0 if self.count("equal") == len(self.findings) else 2

    def count(self, verdict: Verdict) -> int:
        return sum(finding.verdict == verdict for finding in self.findings)

    def hazards(self) -> list[Became]:
        """Each hazard that became real, once, with all cases that it did so in."""
        found: dict[tuple[str, str, str], Became] = {}
        for finding in self.findings:
            for hazard in finding.hazards:
                became = found.setdefault((hazard.kind, hazard.way, hazard.what), Became(hazard, []))
                if finding.case.name not in became.cases:
                    became.cases.append(finding.case.name)
        return list(found.values())
