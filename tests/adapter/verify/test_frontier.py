"""Turns of an exploration: each target is called once, then those that ask are preferred, and none is starved."""

from __future__ import annotations

from itertools import count

from mrtr_adapter.engine.question import ELICIT, Question
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.explore.calls import Calls, Try
from mrtr_adapter.verify.explore.frontier import Frontier
from mrtr_adapter.verify.explore.left_out import LeftOut
from mrtr_adapter.verify.runs import Asked, Run

ASKED = Run("native", asked=[Asked(Question.of(ELICIT, {"mode": "url", "message": "?", "url": "a://b"}), 1)])


def endless(name: str) -> Calls:
    return Calls(name, (Try(Case(name=str(number), tool=name)) for number in count()), iter(()))


def turns(frontier: Frontier, asking: dict[str, int], number: int) -> list[str]:
    """Whose turn it was; a target asks from the call on that `asking` gives."""
    seen: list[str] = []
    for _ in range(number):
        taken = frontier.next()
        if taken is None:
            break
        target = taken.target
        seen.append(target.name)
        if target.tried >= asking.get(target.name, number):
            frontier.extend(taken, ASKED, news=True)
    return seen


def test_each_is_called_once_before_any_is_called_again() -> None:
    frontier = Frontier([endless(name) for name in "abcdef"], [])
    assert turns(frontier, {"b": 1}, 6) == list("abcdef")
    assert not frontier.has_uncalled


def test_those_that_ask_come_in_turn_and_one_of_the_others_after_each_round() -> None:
    frontier = Frontier([endless(name) for name in "abcde"], [])
    assert "".join(turns(frontier, {"b": 1, "d": 1}, 14)) == "abcde" + "bda" + "bdc" + "bde"


def test_one_that_asks_late_is_preferred_from_then_on() -> None:
    frontier = Frontier([endless(name) for name in "abc"], [])
    assert "".join(turns(frontier, {"a": 1, "b": 2}, 13)) == "abc" + "ab" + "abc" + "abc" + "ab"


def test_what_is_left_out_is_told_of_each() -> None:
    nothing = Calls("none", iter(()), iter(()))
    once = Calls("once", iter([Try(Case(name="once", tool="once"))]), iter(()))
    frontier = Frontier([endless("a"), nothing, once, endless("b")], [])
    turns(frontier, {"a": 1}, 10)
    next(target for target in frontier.targets if target.name == "once").compared = True
    assert LeftOut.of(frontier.targets) == LeftOut(("a",), ("b",), ("none",))
