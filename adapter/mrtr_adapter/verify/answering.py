"""Who answers: natively the case, in its order; on 2026-07-28 what was answered natively, by question."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from mrtr_adapter.engine.answers import Malformed, accepted
from mrtr_adapter.engine.question import FORM, ROOTS, URL, Question
from mrtr_adapter.verify.answers import MISSING, Answer, answers_to, on_the_wire, told
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import described
from mrtr_adapter.verify.wire import Reply

EVERYTHING: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}, "context": {}},
    "roots": {},
}
"""What a client declares that can do all there is."""

Given = dict[str, Any] | Literal["missing"] | None
"""An answer as on the wire, or none."""


@dataclass
class Answered:
    """A question of the native run, and what was answered.

    `refused` are answers that break the schema of the form. On 2026-07-28 each of them has the question asked again, so
    natively they are passed over: what handlers of old make of them is no measure.
    """

    question: Question
    given: Given
    refused: list[dict[str, Any]] = field(default_factory=list)


class Script:
    """Answers the questions of a native run in the order of the case. `folder` is that of the run."""

    def __init__(self, case: Case, folder: str) -> None:
        self.answered: list[Answered] = []
        self.left = deque(enumerate(case.answers, 1))
        self.case = case
        self.folder = folder

    def next_answer(self, asked: Question, waiting: int) -> tuple[int, Answer] | None:
        """The answer that comes next, with its number; None if there is none.

        Of several questions that are `waiting` together each takes the first answer that suits it.
        """
        window = list(islice(self.left, waiting))
        suiting = (entry for entry in window if self._suits(entry[1], asked))
        found = next(suiting, None) or next(iter(window), None)
        if found is not None:
            self.left.remove(found)
        return found

    def _suits(self, answer: Answer, asked: Question) -> bool:
        if not answers_to(answer, asked) or isinstance(answer, str):
            return isinstance(answer, str)
        try:
            return accepted(asked, on_the_wire(answer, self.folder))
        except Malformed:
            return False

    def takes(self, number: int, asked: Question, given: dict[str, Any]) -> bool:
        """Whether the answer goes to the handler.

        Raises:
            CannotVerify: it is none at all.
        """
        return _fits(self.case, number, asked, given)

    def reply(self, asked: Question, shown: Question, waiting: int = 1) -> Reply:
        """Answer a question, one of so many that are `waiting`; `shown` is what it is compared by.

        Raises:
            CannotVerify: the answer is for another kind of question.
        """
        refused: list[dict[str, Any]] = []
        while (entry := self.next_answer(asked, waiting)) is not None:
            number, answer = entry
            given = wire_of(self.case, number, answer, asked, self.folder)
            if isinstance(given, dict) and not self.takes(number, asked, given):
                refused.append(given)
                continue
            self.answered.append(Answered(shown, given, refused))
            return Reply(missing=True) if given == MISSING else Reply(answer=given)
        self.answered.append(Answered(shown, None, refused))
        return Reply()


class Unchecked(Script):
    """Gives the handler also what breaks the schema of its form, as clients of old might."""

    def takes(self, number: int, asked: Question, given: dict[str, Any]) -> bool:
        return True


class Matched:
    """Answers the questions of rounds as they were answered natively, and then with what the case has left."""

    def __init__(self, case: Case, script: Script, folder: str) -> None:
        self._case = case
        self._folder = folder
        self._native = [
            Answered(each.question, _moved(each.given, script.folder, folder), list(each.refused))
            for each in script.answered
        ]
        self._left = deque(script.left)

    def capabilities(self) -> dict[str, Any]:
        """What the client declares in the next round: not what the next question needs, if it is to miss that."""
        declared = EVERYTHING if self._case.capabilities is None else self._case.capabilities
        upcoming = self._native[0] if self._native else None
        lacking = upcoming is not None and upcoming.given == MISSING
        return _without(declared, upcoming.question) if upcoming is not None and lacking else declared

    def answer(self, asked: Question, shown: Question) -> dict[str, Any] | None:
        """The answer to a question, or None if there is none left.

        Raises:
            CannotVerify: the answer that the case has left is for another kind of question.
        """
        native = self._native_answer(shown)
        if native is not None:
            if native.refused:
                return native.refused.pop(0)
            self._native.remove(native)
            return native.given if isinstance(native.given, dict) else None
        if not self._left:
            return None
        number, answer = self._left.popleft()
        given = wire_of(self._case, number, answer, asked, self._folder)
        return given if isinstance(given, dict) else None

    def _native_answer(self, shown: Question) -> Answered | None:
        """What was answered to the same question; else to the next one of its kind, in whose place it is asked."""
        same = (each for each in self._native if each.question.digest == shown.digest)
        alike = (each for each in self._native if each.question.kind == shown.kind)
        return next(same, None) or next(alike, None)


def wire_of(case: Case, number: int, answer: Answer, question: Question, folder: str) -> Given:
    """The answer for the wire.

    Raises:
        CannotVerify: it is for another kind of question.
    """
    if not answers_to(answer, question):
        raise CannotVerify(
            f"case {case.name!r}: answer {number} is {told(answer)}, but the question is {described(question)}"
        )
    return MISSING if isinstance(answer, str) else on_the_wire(answer, folder)


def _moved(given: Given, native: str, folder: str) -> Given:
    """The answer with the roots that lie in the folder of the native run in that of another."""
    if not isinstance(given, dict) or "roots" not in given:
        return given
    roots = [{**root, "uri": root["uri"].replace(native, folder)} for root in given["roots"]]
    return {**given, "roots": roots}


def _fits(case: Case, number: int, question: Question, given: dict[str, Any]) -> bool:
    try:
        return accepted(question, given)
    except Malformed as malformed:
        raise CannotVerify(
            f"case {case.name!r}: answer {number} is not {malformed}, which {question.text!r} wants"
        ) from None


def _without(declared: dict[str, Any], question: Question) -> dict[str, Any]:
    """The capabilities without that which a question needs."""
    if question.kind in (FORM, URL):
        other = URL if question.kind == FORM else FORM
        modes: dict[str, Any] | None = {other: {}} if other in declared.get("elicitation", {}) else None
        return {**_dropped(declared, "elicitation"), **({"elicitation": modes} if modes else {})}
    return _dropped(declared, "roots" if question.kind == ROOTS else "sampling")


def _dropped(declared: dict[str, Any], name: str) -> dict[str, Any]:
    return {kind: value for kind, value in declared.items() if kind != name}
