"""Tries what there is to try, and keeps what asked something or came to code that nothing before had reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from mrtr_adapter.verify.answering import Script
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.driving import run_natively
from mrtr_adapter.verify.explore.calls import calls
from mrtr_adapter.verify.explore.frontier import Frontier, Target
from mrtr_adapter.verify.explore.left_out import LeftOut
from mrtr_adapter.verify.explore.naming import named
from mrtr_adapter.verify.explore.words import known_words
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import Run
from mrtr_adapter.verify.verification import Finding, Session

_TRIES = 4
"""Native runs for each case that is wanted: most calls of a tool that asks nothing are not kept."""


class _Worth(NamedTuple):
    """A call that is worth comparing, and its native run."""

    target: Target
    case: Case
    native: Run
    script: Script


@dataclass
class Exploration:
    """Of one server; at most `max_cases` are compared."""

    session: Session
    max_cases: int
    arcs: set[tuple[int, int]] = field(default_factory=set)
    """Steps from line to line that any native run has taken."""
    left_out: LeftOut = field(default_factory=LeftOut)
    """Known at the end."""

    def findings(self, tool: str | None) -> Iterator[Finding]:
        """Explore all that the server lists, or only `tool`.

        Raises:
            CannotVerify: there is nothing to call, or the server can't be run.
        """
        catalog = self.session.catalog
        words = known_words(catalog.file)
        everything = calls(catalog, tool, words)
        if not everything:
            raise CannotVerify(f"{catalog.file} lists nothing that could be called: give it --cases")
        frontier = Frontier(everything, words)
        taken: set[str] = set()
        for target, case, native, script in islice(self._worth_comparing(frontier), self.max_cases):
            target.compared = True
            yield self.session.compared(named(case, taken), native, script)
        self.left_out = LeftOut.of(frontier.targets)

    def _worth_comparing(self, frontier: Frontier) -> Iterator[_Worth]:
        """What asked something first: a call that asks nothing has one round on 2026-07-28 as well."""
        quiet = []
        tries = _TRIES * self.max_cases
        while frontier.has_uncalled or tries > 0:
            tries -= not frontier.has_uncalled
            taken = frontier.next()
            if taken is None:
                break
            case, guess = taken.what
            native, script = run_natively(self.session.subject.original, case, self.session.setting)
            news = not native.arcs <= self.arcs
            self.arcs |= native.arcs
            found = _Worth(taken.target, case, native, script)
            if native.outcome.kind == "unanswered":
                frontier.extend(taken, native, news=news)
            elif native.asked and (news or not guess):
                yield found
            elif news:
                quiet.append(found)
        yield from quiet
