"""The support module: what counts as an answer, who can't be asked, what the state may hold."""

from __future__ import annotations

import datetime
import json
import sys
import uuid
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import pytest
from mcp import MCPError
from mcp.types import ClientCapabilities, ElicitResult
from pydantic import BaseModel, JsonValue

from . import bare


@pytest.fixture(autouse=True)
def steps_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(bare.VENDORED))
    import mrtr_steps

    yield mrtr_steps
    sys.modules.pop("program", None)


class Ok(BaseModel):
    ok: bool


class Session:
    def __init__(self, version: str = "2026-07-28", **capabilities: Any) -> None:
        self.protocol_version = version
        self.client_capabilities = ClientCapabilities.model_validate(capabilities)


class Context:
    def __init__(
        self, session: Session, state: str | None = None, responses: dict[str, Any] | None = None
    ) -> None:
        self.session = session
        self.request_state = state
        self.input_responses = responses


FORMS = Session(elicitation={})
YES = ElicitResult(action="accept", content={"ok": True})


def asked(m: Any, **requests: Any) -> str:
    result = m.Steps(Context(FORMS)).ask(**requests)
    assert result.request_state is not None
    return result.request_state


def test_an_answer_counts_once(steps_module: Any) -> None:
    m = steps_module
    steps = m.Steps(Context(FORMS, asked(m, a=m.form("?", Ok)), {"a": YES}))
    assert steps.form("a", Ok).data == Ok(ok=True)
    assert steps.form("a", Ok) is None


def test_an_answer_to_a_question_that_was_not_asked_is_ignored(steps_module: Any) -> None:
    m = steps_module
    steps = m.Steps(Context(FORMS, asked(m, a=m.form("?", Ok)), {"b": YES}))
    assert steps.form("b", Ok) is None


def test_answers_without_state_are_ignored(steps_module: Any) -> None:
    assert steps_module.Steps(Context(FORMS, None, {"a": YES})).form("a", Ok) is None


@pytest.mark.parametrize("content", [None, {}, {"ok": "perhaps"}])
def test_an_accepted_form_that_breaks_the_schema_is_no_answer(steps_module: Any, content: Any) -> None:
    m = steps_module
    wrong = ElicitResult(action="accept", content=content)
    assert m.Steps(Context(FORMS, asked(m, a=m.form("?", Ok)), {"a": wrong})).form("a", Ok) is None


@pytest.mark.parametrize(
    ("declared", "request_", "required"),
    [
        ({}, "form", {"elicitation": {"form": {}}}),
        ({"elicitation": {}}, "url", {"elicitation": {"url": {}}}),
        ({"elicitation": {"url": {}}}, "form", {"elicitation": {"form": {}}}),
        ({"elicitation": {}}, "sample", {"sampling": {}}),
        ({"sampling": {}}, "roots", {"roots": {}}),
    ],
)
def test_what_the_client_did_not_declare_ends_the_call(
    steps_module: Any, declared: Any, request_: str, required: Any
) -> None:
    m = steps_module
    requests = {
        "form": m.form("?", Ok),
        "url": m.url("?", "https://example.org"),
        "sample": m.sample([], max_tokens=1),
        "roots": m.roots(),
    }
    steps = m.Steps(Context(Session(**declared)))
    with pytest.raises(m.CannotAsk) as caught:
        steps.ask(a=requests[request_])
    assert caught.value.code == -32021
    assert caught.value.data == {"requiredCapabilities": required}
    assert not steps.asking


def test_an_old_connection_is_told_what_it_needs(steps_module: Any) -> None:
    steps = steps_module.Steps(Context(Session("2025-11-25", elicitation={})))
    with pytest.raises(
        steps_module.CannotAsk, match="needs MCP 2026-07-28; this connection speaks 2025-11-25"
    ):
        steps.ask(a=steps_module.form("?", Ok))


@pytest.mark.parametrize(
    "state", ["", "{", "[]", '{"round": 1}', '{"round": 1, "asked": [], "points": [{"step": "x"}]}']
)
def test_a_state_that_we_did_not_write_is_refused(steps_module: Any, state: str) -> None:
    m = steps_module

    class Point(m.Step):  # type: ignore[misc]
        step: Literal["a"] = "a"

    with pytest.raises(MCPError) as caught:
        m.Steps(Context(FORMS, state)).resume(Point)
    assert caught.value.code == -32602


def test_a_call_does_not_ask_for_ever(steps_module: Any) -> None:
    m = steps_module
    state = None
    for _ in range(m.MAX_ROUNDS):
        state = m.Steps(Context(FORMS, state)).ask(a=m.form("?", Ok)).request_state
    with pytest.raises(m.CannotAsk, match=f"has asked {m.MAX_ROUNDS} times"):
        m.Steps(Context(FORMS, state)).ask(a=m.form("?", Ok))


def test_an_inner_function_goes_on_where_it_left_off_and_then_begins_anew(steps_module: Any) -> None:
    m = steps_module

    class Outer(m.Step):  # type: ignore[misc]
        step: Literal["outer"] = "outer"

    class Inner(m.Step):  # type: ignore[misc]
        step: Literal["inner"] = "inner"
        kept: int

    first = m.Steps(Context(FORMS))
    question = first.inner(Outer).ask(Inner(kept=3), a=m.form("?", Ok))
    state = first.pass_on(Outer(), question).request_state
    again = m.Steps(Context(FORMS, state, {"a": YES}))
    assert again.resume(Outer) == Outer()
    inner = again.inner(Outer)
    assert inner.resume(Inner) == Inner(kept=3)
    assert inner.form("a", Ok) is not None
    assert again.inner(Outer).resume(Inner) is None


CARRIED: list[tuple[Any, Any]] = [
    (int, 3), (bool, True), (str, "\u2028é"), (float, float("inf")), (int | float, 3), (int | float, 3.0),
    (str | None, None),
    (bytes, b"\xff\x00"), (Decimal, Decimal("1.20")), (datetime.datetime, datetime.datetime(2026, 1, 2, 3, 4, 5, 6)),
    (datetime.date, datetime.date(2026, 1, 2)), (datetime.time, datetime.time(1, 2, 3)),
    (datetime.timedelta, datetime.timedelta(seconds=1.5)), (uuid.UUID, uuid.UUID(int=7)), (Path, Path("a/b")),
    (PurePosixPath, PurePosixPath("a/b")), (tuple[str, int], ("a", 1)), (tuple[str, ...], ("a", "b")),
    (set[str], {"a"}),
    (frozenset[int], frozenset({1})), (dict[int, str], {1: "a"}), (list[tuple[str, int]], [("a", 1)]),
    (dict[str, JsonValue], {"a": [1, 2.0, None, {"b": True}]}), (Literal["a", "b"], "a"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), CARRIED, ids=lambda v: str(v)[:30])
def test_a_local_comes_back_as_it_was(steps_module: Any, kind: Any, value: Any) -> None:
    m = steps_module
    point = type("Point", (m.Step,), {"__annotations__": {"step": Literal["a"], "value": kind}, "step": "a"})
    state = m.Steps(Context(FORMS)).ask(point(value=value), a=m.form("?", Ok)).request_state
    back = m.Steps(Context(FORMS, state)).resume(point).value
    assert back == value
    assert type(back) is type(value)


def test_a_local_of_another_type_than_it_seemed_is_refused_in_the_first_round(steps_module: Any) -> None:
    m = steps_module

    class Point(m.Step):  # type: ignore[misc]
        step: Literal["a"] = "a"
        value: int

    with pytest.raises(ValueError, match="value"):
        m.Steps(Context(FORMS)).ask(Point(value="3"), a=m.form("?", Ok))


def test_a_local_that_json_changes_is_refused_in_the_first_round(steps_module: Any) -> None:
    m = steps_module

    class Base(BaseModel):
        x: int

    class Derived(Base):
        y: int

    class Point(m.Step):  # type: ignore[misc]
        step: Literal["a"] = "a"
        value: Base

    with pytest.raises(TypeError, match="`value` of Point does not come back from JSON"):
        m.Steps(Context(FORMS)).ask(Point(value=Derived(x=1, y=2)), a=m.form("?", Ok))


def test_the_state_is_plain_json(steps_module: Any) -> None:
    m = steps_module
    assert json.loads(asked(m, a=m.form("?", Ok))) == {
        "round": 1,
        "asked": ["a"],
        "points": [],
        "restart": False,
    }


def restarted(m: Any, answer: ElicitResult | None) -> Any:
    session = Session(elicitation={"url": {}})
    state = m.Steps(Context(session)).restart(link=m.url("Sign in", "https://example.org")).request_state
    return m.Steps(Context(session, state, {"link": answer} if answer else {}))


def test_a_call_that_begins_anew_resumes_nowhere(steps_module: Any) -> None:
    m = steps_module

    class Point(m.Step):  # type: ignore[misc]
        step: Literal["a"] = "a"

    steps = restarted(m, ElicitResult(action="accept"))
    assert not steps.resuming
    assert steps.resume(Point) is None


def test_a_page_that_was_opened_in_vain_is_asked_for_again(steps_module: Any) -> None:
    steps = restarted(steps_module, ElicitResult(action="accept"))
    again = steps.restart(link=steps_module.url("Sign in", "https://example.org"))
    assert list(again.input_requests) == ["link"]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_page_that_the_user_refused_ends_the_call(steps_module: Any, action: Any) -> None:
    steps = restarted(steps_module, ElicitResult(action=action))
    with pytest.raises(MCPError, match=f"The user did not agree .{action}."):
        steps.restart(link=steps_module.url("Sign in", "https://example.org"))


def test_what_an_inner_function_ends_for_good_is_not_resumed(steps_module: Any) -> None:
    m = steps_module

    class Outer(m.Step):  # type: ignore[misc]
        step: Literal["outer"] = "outer"

    session = Session(elicitation={"url": {}})
    steps = m.Steps(Context(session))
    asked_inside = steps.inner(Outer).restart(link=m.url("Sign in", "https://example.org"))
    assert steps.pass_on(Outer(), asked_inside) is asked_inside


def test_outside_of_a_request_there_is_nobody_to_ask(steps_module: Any) -> None:
    steps = steps_module.Steps(None)
    assert not steps.resuming
    with pytest.raises(steps_module.CannotAsk, match="outside of a request"):
        steps.ask(a=steps_module.form("?", Ok))
