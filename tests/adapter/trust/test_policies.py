"""What an owner can have otherwise: effects, state that fails a check, handlers that have changed, large journals."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, YES, always, call, play_tool
from adapter.servers import Name, Ok, serving
from adapter.trust.stores import CountingStore, SwitchedStore, opened
from mrtr_adapter import adapt, flow, memo, once
from mrtr_adapter.engine import effects
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _nothing_reported_yet() -> Iterator[None]:
    effects._reported.clear()
    yield
    effects._reported.clear()


# -- on_effect -----------------------------------------------------------------------------------------------------


def writing(folder: Path, **options: Any) -> MCPServer:
    """Two tools that write above their question."""
    server = MCPServer("writer")

    async def write(ctx: Context) -> str:
        (folder / "above").write_text("x")
        return (await ctx.elicit("Sure?", Ok)).action

    server.add_tool(write, name="write")
    server.add_tool(write, name="note")
    return adapt(server, keys=[KEY], **options)


async def test_refuse_ends_the_first_round_and_names_the_effect_and_three_ways_out(tmp_path: Path) -> None:
    with pytest.raises(MCPError) as caught:
        await call(writing(tmp_path, on_effect="refuse"), "write")
    said = caught.value.message
    data = caught.value.error.data
    assert data["reason"] == "effect_above_ask"
    assert data["effects"][0].startswith(f"open {tmp_path / 'above'} (test_policies.py:")
    assert "open (test_policies.py:" in said
    for way in ("below the question", "memo() or once()", "on_effect={'write': 'ignore'}"):
        assert way in said


async def test_ignore_says_nothing_and_warn_says_it_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "mrtr"):
        for policy in ("ignore", "warn", "warn"):
            await call(writing(tmp_path, on_effect=policy), "write")
            said = [record for record in caplog.records if "before it had its answer" in record.getMessage()]
            assert len(said) == (0 if policy == "ignore" else 1)


async def test_each_tool_can_have_a_policy_of_its_own(tmp_path: Path) -> None:
    server = writing(tmp_path, on_effect={"write": "ignore", "*": "refuse"})
    assert "inputRequests" in await call(server, "write")
    with pytest.raises(MCPError, match="tools/call note did this"):
        await call(server, "note")


async def test_an_effect_between_two_questions_is_refused_in_its_round(tmp_path: Path) -> None:
    async def handler(ctx: Context) -> str:
        await ctx.elicit("Sure?", Ok)
        (tmp_path / "between").write_text("x")
        return (await ctx.elicit("Really?", Ok)).action

    with pytest.raises(MCPError, match="did this before it had its answer"):
        await play_tool(serving(handler, on_effect="refuse"), "tool", always(YES))


async def test_effects_below_the_last_question_and_in_recordings_are_nobodys_business(tmp_path: Path) -> None:
    def write(name: str) -> None:
        (tmp_path / name).write_text("x")

    async def in_a_thread(name: str) -> None:
        await anyio.to_thread.run_sync(write, name)

    async def handler(ctx: Context) -> str:
        await once("first", write, "first")
        await memo("second", in_a_thread, "second")
        answer = await ctx.elicit("Sure?", Ok)
        write("below")
        return answer.action

    played = await play_tool(serving(handler, on_effect="refuse"), "tool", always(YES))
    assert played.text == "accept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["below", "first", "second"]


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
async def test_the_stores_own_files_and_connections_are_no_effects_of_the_handler(
    kind: str, tmp_path: Path
) -> None:
    async def handler(ctx: Context) -> str:
        await once("charge", lambda: 1)
        return (await ctx.elicit("Sure?", Ok)).action

    def make() -> MCPServer:
        return serving(handler, store=opened(kind, tmp_path), on_effect="refuse", single_use=True)()

    assert (await play_tool(make, "tool", always(YES))).text == "accept"


# -- on_invalid_state ----------------------------------------------------------------------------------------------


def deleting(deleted: list[str], **options: Any) -> MCPServer:
    server = MCPServer("files")

    @server.tool()
    async def delete(path: str, ctx: Context) -> str:
        answer = await ctx.elicit(f"Delete {path}?", Ok)
        if answer.action == "accept":
            deleted.append(path)
        return answer.action

    return adapt(server, keys=[KEY], **options)


SPOILT = ["nonsense", "mr1.AAAA", "mr1z.AAAA", "", 7, ["list"]]


@pytest.mark.parametrize("state", SPOILT)
async def test_state_that_fails_a_check_begins_anew_and_its_answers_do_not_count(state: Any) -> None:
    deleted: list[str] = []
    server = deleting(deleted, on_invalid_state="restart")
    result = await call(server, "delete", {"path": "a"}, state=state, responses={"answer": YES})
    assert result["inputRequests"]["answer"]["params"]["message"] == "Delete a?"
    assert deleted == []
    result = await call(
        server, "delete", {"path": "a"}, state=result["requestState"], responses={"answer": YES}
    )
    assert result["content"][0]["text"] == "accept"


async def test_state_for_other_arguments_begins_anew_for_those_that_were_sent() -> None:
    deleted: list[str] = []
    server = deleting(deleted, on_invalid_state="restart")
    state = (await call(server, "delete", {"path": "a"}))["requestState"]
    result = await call(server, "delete", {"path": "b"}, state=state, responses={"answer": YES})
    assert result["inputRequests"]["answer"]["params"]["message"] == "Delete b?"
    assert deleted == []


async def test_a_flow_past_its_lifetime_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    deleted: list[str] = []
    server = deleting(deleted, on_invalid_state="restart", lifetime=1)
    state = (await call(server, "delete", {"path": "a"}))["requestState"]
    await anyio.sleep(1.1)
    result = await call(server, "delete", {"path": "a"}, state=state, responses={"answer": YES})
    assert "answer" in result["inputRequests"]
    assert deleted == []


async def test_a_state_that_the_store_has_lost_begins_anew(tmp_path: Path) -> None:
    deleted: list[str] = []
    store = MemoryStore()
    options: dict[str, Any] = {"on_invalid_state": "restart", "store": store, "reference_above_bytes": 0}
    state = (await call(deleting(deleted, **options), "delete", {"path": "a"}))["requestState"]
    store._kept.clear()
    result = await call(
        deleting(deleted, **options), "delete", {"path": "a"}, state=state, responses={"answer": YES}
    )
    assert "answer" in result["inputRequests"]
    assert deleted == []


@pytest.mark.parametrize("state", SPOILT)
async def test_by_default_it_is_an_error(state: Any) -> None:
    with pytest.raises(MCPError, match="Invalid or expired requestState"):
        await call(deleting([]), "delete", {"path": "a"}, state=state, responses={"answer": YES})


# -- handlers that have changed between two rounds -----------------------------------------------------------------


def shop(version: int, done: list[str], **options: Any) -> MCPServer:
    """Version 2 charges in other words and asks one question more than version 1; version 3 asks otherwise."""
    server = MCPServer("shop")

    async def buy_1(ctx: Context) -> str:
        await once("charge", done.append, "charged by 1")
        answer = await ctx.elicit("Buy?", Ok)
        return f"1 {answer.action} {flow().id}"

    async def buy_2(ctx: Context) -> str:
        await once("charge", done.append, "charged by 2")
        answer = await ctx.elicit("Buy?", Ok)
        size = await ctx.elicit("Which size?", Name)
        return f"2 {answer.action} {size.action}"

    async def buy_3(ctx: Context) -> str:
        await once("charge", done.append, "charged by 3")
        answer = await ctx.elicit("Buy it for 3?", Ok)
        return f"3 {answer.action}"

    server.add_tool({1: buy_1, 2: buy_2, 3: buy_3}[version], name="buy")
    return adapt(server, keys=[KEY], **options)


async def test_a_changed_handler_goes_on_where_the_journal_matches() -> None:
    done: list[str] = []
    state = (await call(shop(1, done), "buy"))["requestState"]
    asked = await call(shop(2, done), "buy", state=state, responses={"answer": YES})
    assert [request["params"]["message"] for request in asked["inputRequests"].values()] == ["Which size?"]
    name = {"action": "accept", "content": {"name": "L"}}
    result = await call(shop(2, done), "buy", state=asked["requestState"], responses={"size": name})
    assert result["content"][0]["text"] == "2 accept accept"
    assert done == ["charged by 1"]


async def test_a_changed_handler_asks_again_where_the_journal_does_not_match() -> None:
    done: list[str] = []
    state = (await call(shop(1, done), "buy"))["requestState"]
    asked = await call(shop(3, done), "buy", state=state, responses={"answer": YES})
    assert asked["inputRequests"]["answer"]["params"]["message"] == "Buy it for 3?"
    result = await call(shop(3, done), "buy", state=asked["requestState"], responses={"answer": YES})
    assert result["content"][0]["text"] == "3 accept"
    assert done == ["charged by 1"]


@pytest.mark.parametrize("version", [2, 3])
async def test_by_policy_a_changed_handler_begins_anew_but_repeats_no_effect(version: int) -> None:
    done: list[str] = []
    state = (await call(shop(1, done), "buy"))["requestState"]
    new = shop(version, done, on_changed_handler="restart")
    asked = await call(new, "buy", state=state, responses={"answer": YES})
    assert list(asked["inputRequests"]) == ["answer"]
    asked = await call(new, "buy", state=asked["requestState"], responses={"answer": YES})
    if version == 2:
        name = {"action": "accept", "content": {"name": "L"}}
        asked = await call(new, "buy", state=asked["requestState"], responses={"size": name})
    assert "accept" in asked["content"][0]["text"]
    assert done == ["charged by 1"]


async def test_an_unchanged_handler_does_not_begin_anew() -> None:
    done: list[str] = []
    first = shop(1, done, on_changed_handler="restart")
    state = (await call(first, "buy"))["requestState"]
    second = shop(1, done, on_changed_handler="restart")
    assert (
        "1 accept"
        in (await call(second, "buy", state=state, responses={"answer": YES}))["content"][0]["text"]
    )


# -- large journals ------------------------------------------------------------------------------------------------


async def long_form(ctx: Context) -> str:
    first = await ctx.elicit("Text?", Name)
    second = await ctx.elicit("More?", Ok)
    return f"{len(first.data.name)} {second.action}" if first.action == "accept" else "no"


def large(key: str, request: dict[str, Any]) -> dict[str, Any]:
    return {"action": "accept", "content": {"name": "x" * 20_000} if key == "first" else {"ok": True}}


@pytest.mark.parametrize("kind", ["memory", "sqlite", "redis"])
async def test_a_journal_above_the_size_lies_in_the_store_and_the_state_stays_small(
    kind: str, tmp_path: Path
) -> None:
    store = CountingStore(opened(kind, tmp_path))
    played = await play_tool(serving(long_form, store=store, reference_above_bytes=2048), "tool", large)
    assert played.text == "20000 accept"
    assert all(len(state) < 1024 for state in played.states)
    assert store.operations == [("write", "journal"), ("read", "journal")]


async def test_a_journal_too_large_even_for_the_store_is_refused_by_that_bound() -> None:
    async def handler(ctx: Context) -> str:
        await memo("large", lambda: "x" * 5 * 1024 * 1024)
        return (await ctx.elicit("Sure?", Ok)).action

    options: dict[str, Any] = {
        "store": MemoryStore(),
        "reference_above_bytes": 0,
        "max_state_bytes": 8 * 1024 * 1024,
    }
    with pytest.raises(MCPError, match="a stored one has 4194304 at most"):
        await call(serving(handler, **options)(), "tool")


async def test_a_handle_is_bound_like_any_state() -> None:
    deleted: list[str] = []
    options: dict[str, Any] = {"store": MemoryStore(), "reference_above_bytes": 0}
    server = deleting(deleted, **options)
    state = (await call(server, "delete", {"path": "a"}))["requestState"]
    with pytest.raises(MCPError, match="Invalid or expired requestState"):
        await call(server, "delete", {"path": "b"}, state=state, responses={"answer": YES})
    assert (await call(server, "delete", {"path": "a"}, state=state, responses={"answer": YES}))["content"]
    assert deleted == ["a"]


async def test_handles_may_be_redeemed_once_too() -> None:
    deleted: list[str] = []
    server = deleting(deleted, store=MemoryStore(), reference_above_bytes=0, single_use=True)
    state = (await call(server, "delete", {"path": "a"}))["requestState"]
    for _ in range(3):
        await call(server, "delete", {"path": "a"}, state=state, responses={"answer": YES})
    assert deleted == ["a"]


async def test_a_store_that_is_down_stops_a_call_with_a_large_journal_before_it_runs() -> None:
    store = SwitchedStore(MemoryStore())
    deleted: list[str] = []
    server = deleting(deleted, store=store, reference_above_bytes=0)
    state = (await call(server, "delete", {"path": "a"}))["requestState"]
    store.down = True
    for more in ({"state": state, "responses": {"answer": YES}}, {}):
        with pytest.raises(MCPError, match="can't reach its store"):
            await call(server, "delete", {"path": "a"}, **more)
    assert deleted == []
    store.down = False
    assert (await call(server, "delete", {"path": "a"}, state=state, responses={"answer": YES}))["content"]


async def test_an_instance_without_a_store_can_not_follow_a_handle() -> None:
    deleted: list[str] = []
    state = await call(
        deleting(deleted, store=MemoryStore(), reference_above_bytes=0), "delete", {"path": "a"}
    )
    with pytest.raises(MCPError, match="can't reach its store"):
        await call(
            deleting(deleted), "delete", {"path": "a"}, state=state["requestState"], responses={"answer": YES}
        )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"reference_above_bytes": 100}, "needs a store="),
        ({"reference_above_bytes": -1, "store": "memory:"}, "reference_above_bytes is at least 0"),
        ({"on_effect": "shout"}, "on_effect is 'warn' or 'refuse' or 'ignore', not 'shout'"),
        ({"on_effect": {"a": "shout"}}, "on_effect is 'warn' or 'refuse' or 'ignore', not 'shout'"),
        ({"on_invalid_state": "shrug"}, "on_invalid_state is 'error' or 'restart', not 'shrug'"),
        ({"on_changed_handler": "shrug"}, "on_changed_handler is 'continue' or 'restart', not 'shrug'"),
        ({"max_entries": 0}, "max_entries is at least 1, not 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        adapt(MCPServer("a"), **options)
    assert said in str(caught.value)
