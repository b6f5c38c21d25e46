"""What counts as a difference, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from mrtr_adapter.engine.question import ELICIT, Question
from mrtr_adapter.verify.compare import differences
from mrtr_adapter.verify.runs import Asked, Done, Outcome, Run, Way
from mrtr_adapter.verify.wire import Effect


def ask(text: str, group: int) -> Asked:
    return Asked(Question.of(ELICIT, {"mode": "form", "message": text, "requestedSchema": {}}), group)


def did(*what: str) -> list[Done]:
    return [Done(Effect(event="open", what=each, file="s.py", line=1), 1) for each in what]


def run(way: Way = "native", text: str = "done", **more: Any) -> Run:
    made = Run(way, Outcome("result", {"content": [{"type": "text", "text": text}], "isError": False}))
    for name, value in more.items():
        setattr(made, name, value)
    return made


def kinds(native: Run, other: Run, *, allow_repeat: bool = False) -> list[str]:
    return [difference.kind for difference in differences(native, other, allow_repeat=allow_repeat)]


def error(code: int, message: str) -> Outcome:
    return Outcome("error", {"code": code, "message": message})


def test_results_and_their_texts() -> None:
    assert kinds(run(), run("adapted")) == []
    (difference,) = differences(run(), run("adapted", "failed"), allow_repeat=False)
    assert (difference.what, difference.native, difference.other) == ("result", "done", "failed")


@pytest.mark.parametrize(
    ("native", "other", "equal"),
    [
        (error(-32042, "Open it"), error(-32600, "Open it"), True),
        (error(-32042, "Open it"), error(-32600, "Something else"), False),
        (error(-32603, "Broken"), error(-32602, "Broken"), False),
        (error(0, "'key'"), error(-32603, "Internal server error"), True),
        (error(-32600, "Form not supported"), error(-32021, "not declared"), True),
        (Outcome("result", {"isError": True, "content": []}), error(-32021, "not declared"), True),
        (Outcome("result", {"isError": False, "content": []}), error(-32021, "not declared"), False),
        (Outcome("result", {"content": []}), Outcome("timed out", "no end"), False),
    ],
)
def test_errors_that_2026_07_28_has_to_word_otherwise(native: Outcome, other: Outcome, equal: bool) -> None:
    found = kinds(run(outcome=native), run("adapted", outcome=other))
    assert found == ([] if equal else ["result"])


def test_questions_that_were_open_together_have_no_order() -> None:
    native = run(asked=[ask("a", 1), ask("b", 1), ask("c", 2)])
    assert kinds(native, run("adapted", asked=[ask("b", 1), ask("a", 1), ask("c", 2)])) == []
    assert kinds(native, run("adapted", asked=[ask("a", 1), ask("c", 2), ask("b", 3)])) != []


def test_a_round_of_several_may_have_been_asked_one_by_one() -> None:
    one_by_one = run(asked=[ask("b", 1), ask("a", 2)])
    assert kinds(one_by_one, run("adapted", asked=[ask("a", 1), ask("b", 1)])) == []
    assert kinds(one_by_one, run("adapted", asked=[ask("a", 1), ask("b", 2)])) != []


def test_each_question_that_differs_is_told_with_its_place() -> None:
    native = run(asked=[ask("a", 1), ask("b", 2), ask("c", 3)])
    found = differences(native, run("adapted", asked=[ask("a", 1), ask("x", 2)]), allow_repeat=False)
    assert [(each.what, each.native, each.other) for each in found] == [
        ("question 2", "form: b", "form: x"),
        ("question 3", "form: c", "not asked"),
    ]


def test_effects_by_number_and_order() -> None:
    native = run(effects=did("a", "b"))
    assert kinds(native, run("adapted", effects=did("a", "b"))) == []
    assert kinds(native, run("adapted", effects=did("a", "a", "b"))) == ["effect repeated"]
    assert kinds(native, run("adapted", effects=did("a"))) == ["effect missing"]
    assert kinds(native, run("adapted", effects=did("a", "b", "c"))) == ["effect new"]
    assert kinds(native, run("adapted", effects=did("b", "a"))) == ["effect order"]


def test_allowed_repetition_allows_neither_new_nor_missing_nor_misplaced_effects() -> None:
    native = run(effects=did("a", "b"))
    assert kinds(native, run("adapted", effects=did("a", "a", "b")), allow_repeat=True) == []
    assert kinds(native, run("adapted", effects=did("a", "a")), allow_repeat=True) == ["effect missing"]
    assert kinds(native, run("adapted", effects=did("a", "c", "b")), allow_repeat=True) == ["effect new"]
    assert kinds(native, run("adapted", effects=did("b", "b", "a")), allow_repeat=True) == ["effect order"]


def test_a_log_is_held_against_itself_only() -> None:
    native = run(logs={"a.log": [("one", 1)], "b.log": [("two", 1)]})
    assert kinds(native, run("adapted", logs={"a.log": [("one", 2)], "b.log": [("two", 1)]})) == []
    swapped = run("adapted", logs={"a.log": [("two", 1)], "b.log": [("one", 1)]})
    assert kinds(native, swapped) == ["effect missing", "effect new"] * 2
