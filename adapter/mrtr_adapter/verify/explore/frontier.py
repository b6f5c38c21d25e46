"""Breadth first: whatever asks is called again with each answer that may be given, one question further.

Each target is called once. From then on those that have asked come in turn; one of the others, which may ask yet when
they are called in another way, has a turn after each round of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.explore.answers import answers_to_try, guesses
from mrtr_adapter.verify.explore.calls import Calls, Try
from mrtr_adapter.verify.runs import Run

MAX_QUESTIONS = 8
"""A call that asks more often is not followed: no flow on 2026-07-28 has more rounds."""


class Target:
    """A tool, prompt or resource, and what is still to be tried of it: calls, answers, and the rest, in turn.

    The rest is what promises less: words that are guessed, and answers after a call that has come to nothing new.
    """

    def __init__(self, calls: Calls) -> None:
        self.name = calls.target
        self.tried = 0
        self.asked = False
        self.compared = False
        self.answers: deque[Iterator[Try]] = deque()
        self.rest: deque[Iterator[Try]] = deque([calls.guesses])
        self._turns = deque([deque([calls.ordinary]), self.answers, self.rest])

    def next(self) -> Try | None:
        """None when all has been tried."""
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
                self.tried += 1
                return found
        return None


class Taken(NamedTuple):
    """What is tried next, and of which target."""

    target: Target
    what: Try


class Frontier:
    """What is to be tried next, over all targets."""

    def __init__(self, calls: Sequence[Calls], words: Sequence[str]) -> None:
        self.targets = [Target(each) for each in calls]
        self._uncalled = deque(self.targets)
        self._asking: deque[Target] = deque()
        self._silent: deque[Target] = deque()
        self._turns = 0
        """Of those that have asked, since one of the others had one."""
        self._words = words

    @property
    def has_uncalled(self) -> bool:
        """Whether there is a target that has not been called."""
        return bool(self._uncalled)

    def next(self) -> Taken | None:
        """None when all has been tried."""
        while queue := self._uncalled or self._next_queue():
            target = queue.popleft()
            found = target.next()
            if found is not None:
                (self._asking if target.asked else self._silent).append(target)
                return Taken(target, found)
        return None

    def _next_queue(self) -> deque[Target]:
        if self._silent and self._turns >= len(self._asking):
            self._turns = 0
            return self._silent
        self._turns += 1
        return self._asking

    def extend(self, taken: Taken, run: Run, *, news: bool) -> None:
        """Go on from the run of what was taken, which ended at a question without an answer.

        `news` tells that it came to new code. What follows a guess that did not is a guess as well.
        """
        target, (case, guess) = taken
        if not target.asked:
            target.asked = True
            self._silent.remove(target)
            self._asking.append(target)
        if len(case.answers) >= MAX_QUESTIONS:
            return
        guess = guess and not news
        question = run.asked[-1].question
        (target.answers if news else target.rest).append(
            Try(_further(case, answers), guess) for answers in answers_to_try(question)
        )
        target.rest.append(
            Try(_further(case, answers), guess=True) for answers in guesses(question, self._words)
        )


def _further(case: Case, answers: Sequence[object]) -> Case:
    return case.model_copy(update={"answers": [*case.answers, *answers]})
