"""Single use: each state is redeemed once; whoever sends it again gets what it led to, and nothing runs."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

from adapter.rounds import KEY, YES, call, send
from adapter.servers import Name, Ok
from adapter.trust.stores import KINDS, CountingStore, SwitchedStore, opened
from mrtr_adapter import adapt, on_commit, once
from mrtr_adapter.custody import claims
from mrtr_adapter.stores import Store
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio

DESTRUCTIVE = ToolAnnotations(destructive_hint=True)


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return opened(request.param, tmp_path)


class Deletion:
    """A server whose tool deletes after two questions, and counts what it has done. Each instance is a fresh one."""

    def __init__(self, store: Store | None, **options: Any) -> None:
        self.store = store
        self.options = options
        self.deleted: list[str] = []
        self.runs = 0
        self.before_delete: Callable[[], Any] = lambda: None

    def __call__(self) -> MCPServer:
        server = MCPServer("files")

        @server.tool(annotations=DESTRUCTIVE)
        async def delete(path: str, ctx: Context) -> str:
            self.runs += 1
            sure = await ctx.elicit(f"Delete {path}?", Ok)
            if sure.action != "accept":
                return "kept"
            reason = await ctx.elicit("Why?", Name)
            waiting = self.before_delete()
            if waiting is not None:
                await waiting
            self.deleted.append(path)
            return f"deleted, number {len(self.deleted)}, {reason.action}"

        return adapt(server, keys=[KEY], store=self.store, **self.options)

    async def first(self) -> str:
        return str((await call(self(), "delete", {"path": "a"}))["requestState"])

    async def second(self) -> str:
        return str((await self.sure(await self.first()))["requestState"])

    async def sure(self, state: str) -> dict[str, Any]:
        return await call(self(), "delete", {"path": "a"}, state=state, responses={"sure": YES})

    async def why(self, state: str, name: str = "old") -> dict[str, Any]:
        answer = {"action": "accept", "content": {"name": name}}
        return await call(self(), "delete", {"path": "a"}, state=state, responses={"reason": answer})


async def _stay(reached: anyio.Event) -> None:
    reached.set()
    await anyio.sleep_forever()


async def broken_off(request: Coroutine[Any, Any, Any], reached: anyio.Event) -> None:
    """A request whose client hangs up once the handler is where it tells."""

    async def send() -> None:
        await request

    async with anyio.create_task_group() as group:
        group.start_soon(send)
        await reached.wait()
        group.cancel_scope.cancel()


async def test_a_state_sent_again_gets_the_stored_result_and_deletes_nothing(store: Store) -> None:
    files = Deletion(store)
    state = await files.second()
    first = await files.why(state)
    runs = files.runs
    for _ in range(3):
        again = await files.why(state, name="another answer")
        assert again["content"] == first["content"]
    assert files.deleted == ["a"]
    assert files.runs == runs


async def test_a_repeat_after_a_lost_reply_gets_the_next_question_and_can_go_on_from_there(
    store: Store,
) -> None:
    files = Deletion(store)
    state = await files.first()
    lost = await files.sure(state)
    again = await files.sure(state)
    assert again["inputRequests"] == lost["inputRequests"]
    assert (await files.why(again["requestState"]))["content"][0]["text"] == "deleted, number 1, accept"
    # Both are the one state of that round, sealed twice.
    assert (await files.why(lost["requestState"]))["content"][0]["text"] == "deleted, number 1, accept"
    assert files.deleted == ["a"]


async def test_of_two_hundred_redemptions_at_once_one_runs_and_all_get_its_result(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 300)  # however busy the machine
    files = Deletion(store)
    files.before_delete = lambda: anyio.sleep(0.05)
    state = await files.second()
    before, texts = files.runs, []

    async def redeem() -> None:
        texts.append((await files.why(state))["content"][0]["text"])

    async with anyio.create_task_group() as group:
        for _ in range(200):
            group.start_soon(redeem)
    assert texts == ["deleted, number 1, accept"] * 200
    assert files.runs == before + 1
    assert files.deleted == ["a"]


async def test_a_loser_gets_a_clear_error_once_it_has_waited_long_enough(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 0.3)
    files = Deletion(store)
    finish = anyio.Event()
    files.before_delete = finish.wait
    state = await files.second()
    async with anyio.create_task_group() as group:
        group.start_soon(files.why, state)
        await anyio.sleep(0.05)
        began = time.monotonic()
        with pytest.raises(
            MCPError, match=r"has been redeemed already: begun \d+ seconds ago and not finished"
        ) as caught:
            await files.why(state)
        assert time.monotonic() - began < 3
        assert caught.value.error.data == {"reason": "being_processed"}
        finish.set()
    assert (await files.why(state))["content"][0]["text"] == "deleted, number 1, accept"


async def test_an_error_is_stored_like_a_result(store: Store) -> None:
    files = Deletion(store)

    def fail() -> None:
        files.deleted.append("half")
        raise MCPError(-32050, "disk full", data={"free": 0})

    files.before_delete = fail
    state = await files.second()
    for _ in range(2):
        with pytest.raises(MCPError) as caught:
            await files.why(state)
        assert (caught.value.code, caught.value.message, caught.value.error.data) == (
            -32050,
            "disk full",
            {"free": 0},
        )
    assert files.deleted == ["half"]


async def test_malformed_and_missing_answers_do_not_use_a_state_up(store: Store) -> None:
    files = Deletion(store)
    state = await files.first()
    for broken in ("no object", {"action": "perhaps"}):
        with pytest.raises(MCPError, match="inputResponses"):
            await call(files(), "delete", {"path": "a"}, state=state, responses={"sure": broken})
    with pytest.raises(MCPError) as undeclared:
        await call(files(), "delete", {"path": "a"}, state=state, responses={}, capabilities={})
    assert undeclared.value.code == -32021
    assert "reason" in (await files.sure(state))["inputRequests"]


async def test_a_state_that_was_given_back_goes_to_whoever_has_waited_for_it(store: Store) -> None:
    done: list[str] = []
    server = MCPServer("slow")

    @server.tool()
    async def slow(ctx: Context) -> str:
        await anyio.sleep(0.2)
        answer = await ctx.elicit("Sure?", Ok)
        done.append(answer.action)
        return answer.action

    adapt(server, keys=[KEY], store=store, single_use=True)
    state = (await call(server, "slow"))["requestState"]
    refused: list[MCPError] = []

    async def malformed() -> None:
        try:
            await call(server, "slow", state=state, responses={"answer": {"action": "perhaps"}})
        except MCPError as error:
            refused.append(error)

    async with anyio.create_task_group() as group:
        group.start_soon(malformed)
        await anyio.sleep(0.05)
        result = await call(server, "slow", state=state, responses={"answer": YES})
    assert result["content"][0]["text"] == "accept"
    assert len(refused) == 1
    assert done == ["accept"]


async def test_a_client_that_hangs_up_while_its_state_is_claimed_leaves_it_unused() -> None:
    class Slow(CountingStore):
        blocking = True  # type: ignore[assignment]

        def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
            time.sleep(0.2)
            return super().swap(key, expected, value, seconds)

    files = Deletion(Slow(MemoryStore()))
    state = await files.first()
    runs = files.runs
    with anyio.move_on_after(0.1):
        await files.sure(state)
    assert files.runs == runs
    assert "reason" in (await files.sure(state))["inputRequests"]


async def test_a_missing_answer_is_asked_for_again_under_a_new_state(store: Store) -> None:
    files = Deletion(store)
    state = await files.first()
    again = await call(files(), "delete", {"path": "a"}, state=state, responses={})
    assert "sure" in again["inputRequests"]
    assert "reason" in (await files.sure(again["requestState"]))["inputRequests"]


async def test_a_call_that_is_broken_off_after_an_answer_is_reported_and_never_repeated(store: Store) -> None:
    files, reached = Deletion(store), anyio.Event()
    files.before_delete = partial(_stay, reached)
    state = await files.second()
    await broken_off(files.why(state), reached)
    runs = files.runs
    with pytest.raises(MCPError, match=r"was broken off.*Look whether it did") as caught:
        await files.why(state)
    assert caught.value.error.data == {"reason": "interrupted"}
    assert files.runs == runs


async def test_what_a_store_has_lost_can_not_be_redeemed_a_second_time(tmp_path: Path) -> None:
    files = Deletion(opened("sqlite", tmp_path))
    state = await files.second()
    await files.why(state)
    (tmp_path / "emptied").mkdir()
    files.store = opened("sqlite", tmp_path / "emptied")
    with pytest.raises(MCPError, match="no longer has what it stored") as caught:
        await files.why(state)
    assert caught.value.error.data == {"reason": "state_lost"}
    assert files.deleted == ["a"]


async def test_an_instance_without_the_store_refuses_a_state_that_is_registered_in_one(
    tmp_path: Path,
) -> None:
    files = Deletion(opened("sqlite", tmp_path))
    state = await files.first()
    files.store = None
    with pytest.raises(MCPError, match="can't reach its store"):
        await files.sure(state)


async def test_a_store_that_is_down_stops_the_call_before_anything_runs_and_it_may_be_sent_again(
    store: Store,
) -> None:
    switched = SwitchedStore(store)
    files = Deletion(switched)
    state = await files.second()
    runs = files.runs
    switched.down = True
    with pytest.raises(MCPError, match="can't reach its store") as caught:
        await files.why(state)
    assert caught.value.error.data == {"reason": "store_unavailable"}
    assert files.runs == runs
    switched.down = False
    assert (await files.why(state))["content"][0]["text"] == "deleted, number 1, accept"


async def test_a_reply_that_can_not_be_stored_still_reaches_the_client_and_is_never_repeated(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 0.1)
    switched = SwitchedStore(store)
    files = Deletion(switched)
    files.before_delete = lambda: setattr(switched, "down", True)
    state = await files.second()
    assert (await files.why(state))["content"][0]["text"] == "deleted, number 1, accept"
    assert "an outcome could not be stored" in caplog.text
    switched.down = False
    with pytest.raises(MCPError, match="has been redeemed already"):
        await files.why(state)
    assert files.deleted == ["a"]


async def test_a_result_too_large_to_keep_reaches_the_client_once(store: Store) -> None:
    server = MCPServer("large")

    @server.tool()
    async def export(ctx: Context) -> str:
        await ctx.elicit("Sure?", Ok)
        return "x" * (5 * 1024 * 1024)

    adapt(server, keys=[KEY], store=store, single_use=True)
    state = (await call(server, "export"))["requestState"]
    got = await call(server, "export", state=state, responses={"answer": YES})
    assert len(got["content"][0]["text"]) == 5 * 1024 * 1024
    with pytest.raises(MCPError, match="its result could not be kept"):
        await call(server, "export", state=state, responses={"answer": YES})


async def test_a_commit_is_not_repeated_with_its_reply(store: Store) -> None:
    done: list[str] = []
    server = MCPServer("mail")

    @server.tool()
    async def post(ctx: Context) -> str:
        on_commit(done.append, "sent")
        return (await ctx.elicit("Sure?", Ok)).action

    adapt(server, keys=[KEY], store=store, single_use=["post"])
    state = (await call(server, "post"))["requestState"]
    for _ in range(2):
        await call(server, "post", state=state, responses={"answer": YES})
    assert done == ["sent"]


async def test_what_is_stored_expires_with_the_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float] = []

    class Watching(MemoryStore):
        def swap(
            self, key: str, expected: bytes | None, value: bytes | None, seconds_: float
        ) -> bytes | None:
            seconds.append(seconds_)
            return super().swap(key, expected, value, seconds_)

    files = Deletion(Watching(), lifetime=100)
    await files.why(await files.second())
    assert seconds
    assert all(100 <= each <= 161 for each in seconds)


async def test_results_lie_sealed_in_the_store(tmp_path: Path) -> None:
    files = Deletion(opened("sqlite", tmp_path))
    await files.why(await files.second(), name="a secret reason")
    stored = (tmp_path / "store.db").read_bytes() + (tmp_path / "store.db-wal").read_bytes()
    assert b"deleted, number" not in stored
    assert b"secret reason" not in stored


async def test_a_stored_result_that_was_put_under_another_key_is_not_given_out() -> None:
    store = MemoryStore()
    files = Deletion(store)
    one, other = await files.second(), await files.second()
    await files.why(one)
    await files.why(other)
    (first, second) = [key for key, (value, _) in store._kept.items() if value.startswith(b"mr1.")][-2:]
    store._kept[first], store._kept[second] = store._kept[second], store._kept[first]
    with pytest.raises(MCPError, match="no longer has what it stored"):
        await files.why(one)


# -- which tools ---------------------------------------------------------------------------------------------------


def three_tools(**options: Any) -> MCPServer:
    server = MCPServer("tools")

    async def asks(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Ok)).action

    server.add_tool(asks, name="plain")
    server.add_tool(asks, name="destructive", annotations=DESTRUCTIVE)
    server.add_tool(asks, name="harmless", annotations=ToolAnnotations(destructive_hint=False))
    return adapt(server, keys=[KEY], **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"destructive"}),
        ({"single_use": "destructive"}, {"destructive"}),
        ({"single_use": True}, {"plain", "destructive", "harmless"}),
        ({"single_use": False}, set()),
        ({"single_use": ["plain", "harmless"]}, {"plain", "harmless"}),
    ],
)
async def test_single_use_holds_for_all_for_none_for_the_destructive_or_for_those_named(
    options: dict[str, Any], expected: set[str]
) -> None:
    counted = CountingStore(MemoryStore())
    server = three_tools(store=counted, **options)
    used = set()
    for tool in ("plain", "destructive", "harmless"):
        counted.operations.clear()
        state = (await call(server, tool))["requestState"]
        await call(server, tool, state=state, responses={"answer": YES})
        if counted.operations:
            used.add(tool)
    assert used == expected


async def test_a_low_level_server_tells_its_annotations_too() -> None:
    async def list_tools(ctx: Any, params: Any) -> ListToolsResult:
        page = params.cursor or "0"
        tool = Tool(name=f"tool-{page}", input_schema={"type": "object"}, annotations=DESTRUCTIVE)
        return ListToolsResult(tools=[tool], next_cursor="1" if page == "0" else None)

    async def call_tool(ctx: Any, params: Any) -> CallToolResult:
        answer = await ctx.session.elicit_form("Sure?", Ok.model_json_schema())
        return CallToolResult(content=[TextContent(type="text", text=answer.action)])

    server: Server[Any] = Server("low", on_list_tools=list_tools, on_call_tool=call_tool)
    counted = CountingStore(MemoryStore())
    adapt(server, keys=[KEY], store=counted)
    state = (await call(server, "tool-1"))["requestState"]
    await call(server, "tool-1", state=state, responses={"answer": YES})
    assert counted.operations == [("swap", "state")] * 2
    counted.operations.clear()
    await call(server, "tool-2")
    assert counted.operations == []


async def test_a_tool_whose_annotations_can_not_be_read_counts_as_destructive(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def list_tools(ctx: Any, params: Any) -> ListToolsResult:
        raise RuntimeError("no list today")

    async def call_tool(ctx: Any, params: Any) -> CallToolResult:
        answer = await ctx.session.elicit_form("Sure?", Ok.model_json_schema())
        return CallToolResult(content=[TextContent(type="text", text=answer.action)])

    server: Server[Any] = Server("low", on_list_tools=list_tools, on_call_tool=call_tool)
    counted = CountingStore(MemoryStore())
    adapt(server, keys=[KEY], store=counted)
    state = (await call(server, "tool"))["requestState"]
    await call(server, "tool", state=state, responses={"answer": YES})
    assert counted.operations == [("swap", "state")] * 2
    assert "so tool counts as destructive" in caplog.text


async def test_without_a_store_memory_has_to_do_and_the_log_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "mrtr"):
        server = three_tools()
        for _ in range(2):
            state = (await call(server, "destructive"))["requestState"]
            for _ in range(2):
                result = await call(server, "destructive", state=state, responses={"answer": YES})
                assert result["content"][0]["text"] == "accept"
    said = [
        record.getMessage() for record in caplog.records if "memory of this process" in record.getMessage()
    ]
    assert len(said) == 1


async def test_without_a_store_another_instance_can_still_finish_the_flow() -> None:
    files = Deletion(None)
    assert (await files.why(await files.second()))["content"][0]["text"] == "deleted, number 1, accept"


async def test_a_handler_in_step_form_is_redeemed_once_as_well(store: Store) -> None:
    server = MCPServer("steps")
    booked: list[str] = []
    question = {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Sure?", "requestedSchema": Ok.model_json_schema()},
    }

    @server.tool(annotations=DESTRUCTIVE)
    async def book(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            return InputRequiredResult.model_validate(
                {"inputRequests": {"sure": question}, "requestState": "step 1"}
            )
        assert ctx.request_state == "step 1"
        booked.append("room")
        return f"booked, number {len(booked)}"

    adapt(server, keys=[KEY], store=store)
    state = (await call(server, "book"))["requestState"]
    for _ in range(2):
        result = await call(server, "book", state=state, responses={"sure": YES})
        assert result["content"][0]["text"] == "booked, number 1"
    assert booked == ["room"]


async def test_a_handler_in_step_form_that_is_broken_off_is_not_entered_again(store: Store) -> None:
    server = MCPServer("steps")
    entered: list[Any] = []
    reached = anyio.Event()
    question = {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Sure?", "requestedSchema": Ok.model_json_schema()},
    }

    @server.tool(annotations=DESTRUCTIVE)
    async def book(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            return InputRequiredResult.model_validate({"inputRequests": {"sure": question}})
        entered.append(ctx.input_responses)
        await _stay(reached)
        return "never"

    adapt(server, keys=[KEY], store=store)
    state = (await call(server, "book"))["requestState"]
    await broken_off(call(server, "book", state=state, responses={"sure": YES}), reached)
    with pytest.raises(MCPError, match="was broken off"):
        await call(server, "book", state=state, responses={"sure": YES})
    assert len(entered) == 1


async def test_a_store_that_fails_after_an_answer_ends_the_call_for_good(store: Store) -> None:
    switched = SwitchedStore(store)
    server = MCPServer("bank")
    paid: list[str] = []

    @server.tool(annotations=DESTRUCTIVE)
    async def pay(ctx: Context) -> str:
        await ctx.elicit("Pay?", Ok)
        paid.append("fee")
        switched.down = True
        try:
            await once("pay", paid.append, "paid")
        finally:
            switched.down = False
        return "paid"

    adapt(server, keys=[KEY], store=switched)
    state = (await call(server, "pay"))["requestState"]
    for _ in range(2):
        with pytest.raises(MCPError, match=r"lost its store.*Look whether it did") as caught:
            await call(server, "pay", state=state, responses={"answer": YES})
        assert caught.value.error.data == {"reason": "interrupted"}
    assert paid == ["fee"]


async def test_prompts_and_resources_can_be_redeemed_once_too(store: Store) -> None:
    server = MCPServer("all")
    read: list[str] = []

    @server.resource("letter://{year}")
    async def letter(year: str, ctx: Context) -> str:
        answer = await ctx.elicit("Open it?", Ok)
        read.append(year)
        return f"{answer.action} {len(read)}"

    adapt(server, keys=[KEY], store=store, single_use=True)
    asked = await send(server, "resources/read", {"uri": "letter://1999"})
    retry = {"uri": "letter://1999", "requestState": asked["requestState"], "inputResponses": {"answer": YES}}
    for _ in range(2):
        result = await send(server, "resources/read", retry)
        assert result["contents"][0]["text"] == "accept 1"


async def test_a_call_that_never_asks_touches_neither_store_nor_seal(store: Store) -> None:
    counted = CountingStore(store)
    server = MCPServer("plain")

    @server.tool(annotations=DESTRUCTIVE)
    async def add(a: int, b: int) -> str:
        return str(a + b)

    adapt(server, keys=[KEY], store=counted, single_use=True)
    assert (await call(server, "add", {"a": 1, "b": 2}))["content"][0]["text"] == "3"
    assert counted.operations == []


async def test_a_round_costs_one_redemption_one_registration_and_one_reply(tmp_path: Path) -> None:
    counted = CountingStore(opened("sqlite", tmp_path))
    files = Deletion(counted)
    state = await files.first()
    assert counted.operations == [("write", "state")]
    counted.operations.clear()
    await files.sure(state)
    assert counted.operations == [("swap", "state"), ("write", "state"), ("swap", "state")]


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(
        ValueError, match="single_use is True, False, 'destructive' or a list of names, not 'delete'"
    ):
        adapt(MCPServer("a"), single_use="delete")
    with pytest.raises(ValueError, match="'nowhere' is no store"):
        adapt(MCPServer("a"), store="nowhere")


def test_claims_tell_whose_they_are() -> None:
    made = json.loads(claims.new_claim().removeprefix(b"claim "))
    assert made["by"].startswith("process ")
    assert abs(made["at"] - time.time()) < 5
    assert claims.new_claim() != claims.new_claim()
