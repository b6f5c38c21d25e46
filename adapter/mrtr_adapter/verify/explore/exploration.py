"""Tries what there is to try, and keeps what asked something or came to code that nothing before had reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from mrtr_adapter.verify.answering import Script
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.driving import run_natively
from mrtr_adapter.verify.explore.calls import calls
from mrtr_adapter.verify.explore.frontier import Frontier
from mrtr_adapter.verify.explore.naming import named
from mrtr_adapter.verify.explore.words import known_words
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import Run
from mrtr_adapter.verify.verification import Finding, Session

_TRIES = 4
"""Native runs for each case that is wanted: most calls of a tool that asks nothing are not kept."""


@dataclass
class Exploration:
    """Of one server; at most `max_cases` are compared."""

    session: Session
    max_cases: int
    arcs: set[tuple[int, int]] = field(default_factory=set)
    """Steps from line to line that any native run has taken."""

    def findings(self, tool: str | None) -> Iterator[Finding]:
        """Explore all that the server lists, or only `tool`.

        Raises:
            CannotVerify: there is nothing to call, or the server can't be run.
        """
        taken: set[str] = set()
        for case, native, script in islice(self._worth_comparing(tool), self.max_cases):
            yield self.session.compared(named(case, taken), native, script)

    def _worth_comparing(self, tool: str | None) -> Iterator[tuple[Case, Run, Script]]:
        catalog = self.session.catalog
        words = known_words(catalog.file)
        everything = calls(catalog, tool, words)
        if not everything:
            raise CannotVerify(f"{catalog.file} lists nothing that could be called: give it --cases")
        frontier = Frontier(everything, words)
        for _ in range(_TRIES * self.max_cases):
            found = frontier.next()
            if found is None:
                return
            native, script = run_natively(self.session.subject.original, found.case, self.session.setting)
            news = native.arcs - self.arcs
            self.arcs |= native.arcs
            if native.outcome.kind == "unanswered":
                frontier.extend(found, native, news=bool(news))
            elif news or (native.asked and not found.guess):
                yield found.case, native, script
