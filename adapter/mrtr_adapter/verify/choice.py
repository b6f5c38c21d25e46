"""Where the cases of a session come from: one on the command line, a file, a person, or an exploration."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click

from mrtr_adapter.inputs.json_text import arguments_of
from mrtr_adapter.verify.cases import one_case, read_cases, write_cases
from mrtr_adapter.verify.explore.exploration import Exploration
from mrtr_adapter.verify.explore.left_out import LeftOut
from mrtr_adapter.verify.explore.reach import Reach, reach
from mrtr_adapter.verify.record.recorder import record
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.verification import Finding, Session


class Found(NamedTuple):
    """What came of all cases, and, if they were explored, what that has reached and left out."""

    findings: Sequence[Finding]
    reached: Sequence[Reach] = ()
    left_out: LeftOut = LeftOut()


@dataclass(frozen=True)
class Chosen:
    """What the command line says about that."""

    tool: str | None
    arguments: str
    answers: Path | None
    case_file: Path | None
    explore: bool
    max_cases: int
    record: Path | None

    def check(self) -> None:
        """Refuse what does not go together.

        Raises:
            CannotVerify: says what does.
        """
        if self.case_file is not None and (self.tool or self.explore or self.record):
            raise CannotVerify("--cases has cases already: leave out --tool, --explore and --record")
        if self.case_file is None and not (self.tool or self.explore or self.record):
            raise CannotVerify(
                "say what to verify: --tool NAME with --args and --answers, --cases FILE, --record FILE, or --explore"
            )
        if self.answers is not None and (self.tool is None or self.explore or self.record):
            raise CannotVerify("--answers is for one call: give it with --tool alone")
        if self.explore and self.arguments != "{}":
            raise CannotVerify("--explore finds the arguments itself: leave out --args")

    def findings(self, session: Session) -> Found:
        """What came of all cases.

        Raises:
            CannotServe: a case, an answer or the server is at fault.
        """
        if self.explore:
            return self._explored(session)
        if self.record is not None:
            return Found(list(record(session, self.record, self.tool, arguments_of(self.arguments))))
        if self.case_file is not None:
            cases = read_cases(self.case_file)
        else:
            assert self.tool is not None
            cases = [one_case(self.tool, self.arguments, self.answers)]
        return Found(list(_with_progress(map(session.verify, cases), len(cases))))

    def _explored(self, session: Session) -> Found:
        if self.tool is not None:
            session.catalog.check_tool(self.tool)
        exploration = Exploration(session, self.max_cases)
        found = list(_with_progress(exploration.findings(self.tool), self.max_cases))
        if self.record is not None and found:
            write_cases(self.record, [finding.case for finding in found])
        return Found(found, reach(session.catalog.file, exploration.arcs), exploration.left_out)


def _with_progress(findings: Iterable[Finding], expected: int) -> Iterator[Finding]:
    if not sys.stderr.isatty():
        yield from findings
        return
    with click.progressbar(
        findings, length=expected, label="Verifying", file=sys.stderr, show_pos=True
    ) as shown:
        yield from shown
