"""What was recorded is not done again, in any round; and where there is no flow it is plainly done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.from_thread
import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError

from adapter.rounds import call
from adapter.servers import Name, Ok, serving
from adapter.trust.recording.calls import KEEPERS, Calls, twice_asking
from mrtr_adapter import RecordedError, flow, memo, now, on_commit, once
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("keep", KEEPERS)
async def test_a_recorded_function_runs_in_the_first_round_only(
    keep: Callable[..., Awaitable[Any]], store: MemoryStore | None
) -> None:
    world = Calls()

    async def charge(amount: int) -> int:
        await anyio.sleep(0)
        return world(amount)

    async def handler(ctx: Context) -> str:
        first = await keep("charge", charge, 7)
        await ctx.elicit("Sure?", Ok)
        second = await keep("check", world, 8)
        await ctx.elicit("Really?", Ok)
        return f"{first} {second}"

    played = await twice_asking(handler, store=store)
    assert played.text == "1 2"
    assert world.made == [7, 8]
    assert len(played.rounds) == 2


async def test_an_effect_whose_value_can_not_be_recorded_is_still_done_once(
    store: MemoryStore | None,
) -> None:
    world = Calls()

    async def handler(ctx: Context) -> str:
        try:
            await once("value", lambda: (world(1), object()))
        except RecordedError as error:
            said = str(error)
        await ctx.elicit("Sure?", Ok)
        return said

    played = await twice_asking(handler, store=store)
    assert "Unrecordable" in played.text
    assert world.made == [1]


@pytest.mark.parametrize("keep", KEEPERS)
async def test_one_name_for_two_recordings_ends_the_call_whatever_the_handler_catches(
    keep: Callable[..., Awaitable[Any]],
) -> None:
    world = Calls()

    async def handler(ctx: Context) -> str:
        for card in ("a", "b"):
            try:
                await keep("charge", world, card)
            except Exception:
                world("went on")
        return "done"

    with pytest.raises(MCPError, match=r"'charge' is recorded at test_once.py:.* and again at"):
        await call(serving(handler)(), "tool")
    assert world.made == ["a"]


@pytest.mark.parametrize("keep", KEEPERS)
async def test_an_ask_inside_a_recording_ends_the_call_and_says_why(
    keep: Callable[..., Awaitable[Any]], store: MemoryStore | None
) -> None:
    async def handler(ctx: Context) -> str:
        async def asks() -> str:
            return (await ctx.elicit("Sure?", Ok)).action

        try:
            return str(await keep("asks", asks))
        except Exception:
            return "went on"

    with pytest.raises(MCPError, match=r"asks inside (memo|once)\('asks'\)"):
        await call(serving(handler, store=store)(), "tool")


async def test_outside_a_flow_all_of_it_is_a_plain_call() -> None:
    world = Calls()

    async def notify() -> None:
        world("notified")

    assert await memo("rate", world, 1) == 1
    assert await once("rate", world, 2) == 2
    on_commit(world, "committed")
    on_commit(notify)
    await anyio.sleep(0.05)
    assert world.made == [1, 2, "committed", "notified"]
    assert flow().round == 1
    assert not flow().replaying
    assert flow().idempotency_key("a") != flow().idempotency_key("a")


async def test_the_same_handler_runs_on_an_older_protocol(anyio_backend: str) -> None:
    from mcp import Client
    from mcp.types import ElicitResult

    world = Calls()

    async def handler(ctx: Context) -> str:
        on_commit(world, "committed")
        charged = await once("charge", world, "charged")
        await memo("rate", world, "rated")
        keys = {flow().idempotency_key("charge") for _ in range(2)}
        answer = await ctx.elicit(f"Sure at {now():%Y}?", Name)
        return f"{charged} {answer.data.name} {len(keys)}" if answer.action == "accept" else "no"

    async def answers(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"name": "Ada"})

    async with Client(serving(handler)(), mode="legacy", elicitation_callback=answers) as client:
        result = await client.call_tool("tool", {})
    assert result.content[0].text == "1 Ada 1"  # type: ignore[union-attr]
    assert world.made == ["charged", "rated", "committed"]
