"""What came of a case, on one way of serving it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from mrtr_adapter.engine.question import ROOTS, Question
from mrtr_adapter.verify.wire import Effect

Way = Literal["native", "adapted", "rewritten"]


@dataclass(frozen=True)
class Asked:
    """A question, and the group of those that were open with it; on 2026-07-28 its round."""

    question: Question
    group: int


def described(question: Question) -> str:
    """A question in one line."""
    return question.kind if question.kind == ROOTS else f"{question.kind}: {question.text}"


@dataclass(frozen=True)
class Outcome:
    """How a call has ended: with a `result`, an `error` of the protocol, `unanswered`, `timed out` or `broken`."""

    kind: Literal["result", "error", "unanswered", "timed out", "broken"]
    body: Any = None

    @property
    def ended(self) -> bool:
        """Whether the server itself has ended it."""
        return self.kind in ("result", "error")


@dataclass(frozen=True)
class Done:
    """An effect, and the round that it was seen in."""

    effect: Effect
    round: int


@dataclass(frozen=True)
class Difference:
    """What is otherwise on 2026-07-28 than natively, in words."""

    kind: Literal["result", "question", "effect repeated", "effect missing", "effect new", "effect order"]
    what: str
    native: str
    other: str


@dataclass
class Run:
    """One run of a case."""

    way: Way
    outcome: Outcome = Outcome("unanswered")
    asked: list[Asked] = field(default_factory=list)
    effects: list[Done] = field(default_factory=list)
    logs: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """The lines that were added to each log, with their rounds."""
    rounds: int = 0
    swallowed: bool = False
    awaited: bool = False
    changed: list[tuple[str, str]] = field(default_factory=list)
    """What a question said when it was answered, and what the replay asked in its place."""
    arcs: set[tuple[int, int]] = field(default_factory=set)
