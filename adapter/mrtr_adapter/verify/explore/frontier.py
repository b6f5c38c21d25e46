"""Breadth first: whatever asks is called again with each answer that may be given, one question further."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.explore.answers import answers_to_try, guesses
from mrtr_adapter.verify.explore.calls import Calls, Try
from mrtr_adapter.verify.runs import Run

MAX_QUESTIONS = 8
"""A call that asks more often is not followed: no flow on 2026-07-28 has more rounds."""


class _Target:
    """A tool, prompt or resource, and what is still to be tried of it: calls, answers, and the rest, in turn.

    The rest is what promises less: words that are guessed, and answers after a call that has come to nothing new.
    """

    def __init__(self, calls: Calls) -> None:
        self.answers: deque[Iterator[Try]] = deque()
        self.rest: deque[Iterator[Try]] = deque([calls.guesses])
        self._turns = deque([deque([calls.ordinary]), self.answers, self.rest])

    def next(self) -> Try | None:
        for _ in range(len(self._turns)):
            queue = self._turns[0]
            self._turns.rotate(-1)
            while queue:
                found = next(queue[0], None)
                if found is None:
                    queue.popleft()
                    continue
                if queue is self.rest:
                    queue.rotate(-1)
                return found
        return None


class Frontier:
    """What is to be tried next, over all targets in turn."""

    def __init__(self, calls: Sequence[Calls], words: Sequence[str]) -> None:
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

    def extend(self, tried: Try, run: Run, *, news: bool) -> None:
        """Go on from the run of what has just been taken, which ended at a question without an answer.

        `news` tells that it came to new code. What follows a guess that did not is a guess as well.
        """
        case, guess = tried.case, tried.guess and not news
        if len(case.answers) >= MAX_QUESTIONS:
            return
        target, question = self._targets[-1], run.asked[-1].question
        (target.answers if news else target.rest).append(
            Try(_further(case, answers), guess) for answers in answers_to_try(question)
        )
        target.rest.append(
            Try(_further(case, answers), guess=True) for answers in guesses(question, self._words)
        )


def _further(case: Case, answers: Sequence[object]) -> Case:
    return case.model_copy(update={"answers": [*case.answers, *answers]})
