"""Breadth first: whatever asks is called again with each answer that may be given, one question further."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.explore.answers import answers_to_try, guesses
from mrtr_adapter.verify.explore.calls import Try
from mrtr_adapter.verify.runs import Run

MAX_QUESTIONS = 8
"""A call that asks more often is not followed: no flow on 2026-07-28 has more rounds."""


@dataclass
class _Target:
    """A tool, prompt or resource, and what is still to be tried of it."""

    calls: Iterator[Try]
    deeper: deque[Iterator[Try]] = field(default_factory=deque)
    _call_next: bool = False

    def next(self) -> Try | None:
        """One more thing to try: calls and answers in turn, as long as there are both."""
        self._call_next = not self._call_next
        if self._call_next:
            return next(self.calls, None) or self._next_answer()
        return self._next_answer() or next(self.calls, None)

    def _next_answer(self) -> Try | None:
        while self.deeper:
            found = next(self.deeper[0], None)
            if found is not None:
                return found
            self.deeper.popleft()
        return None


class Frontier:
    """What is to be tried next, over all targets in turn."""

    def __init__(self, calls: Sequence[Iterator[Try]], words: Sequence[str]) -> None:
        self._targets = deque(map(_Target, calls))
        self._words = words

    def next(self) -> Try | None:
        """None when all has been tried."""
        while self._targets:
            found = self._targets[0].next()
            if found is not None:
                self._targets.rotate(-1)
                return found
            self._targets.popleft()
        return None

    def extend(self, case: Case, run: Run) -> None:
        """Go on from a run of the case that has just been taken, which ended at a question without an answer."""
        if len(case.answers) < MAX_QUESTIONS:
            self._targets[-1].deeper.append(self._extensions(case, run))

    def _extensions(self, case: Case, run: Run) -> Iterator[Try]:
        question = run.asked[-1].question
        for answers in answers_to_try(question):
            yield Try(case.model_copy(update={"answers": [*case.answers, *answers]}))
        for answers in guesses(question, self._words):
            yield Try(case.model_copy(update={"answers": [*case.answers, *answers]}), guess=True)
