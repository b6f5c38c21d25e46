"""What FastMCP keeps per session lasts over a flow's rounds as it did within one old call, and no longer."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from fastmcp import Context, FastMCP

from adapter.fastmcp.servers import TRUE, adapted, serving
from adapter.rounds import always, call, play_tool

pytestmark = pytest.mark.anyio


async def test_the_session_id_is_one_in_all_rounds_of_a_flow() -> None:
    seen: list[str] = []

    async def show(ctx: Context) -> str:
        seen.append(ctx.session_id)
        await ctx.elicit(f"Session {ctx.session_id}?", bool)
        await ctx.elicit(f"{uuid.uuid4()} of {ctx.session_id}?", bool)
        return ctx.session_id

    played = await play_tool(serving(show), "show", always(TRUE))
    assert [played.text] * 3 == seen
    assert len(played.asked) == 2


async def test_another_call_is_another_session() -> None:
    async def show(ctx: Context) -> str:
        return ctx.session_id

    make = serving(show)
    first, second = [(await call(make(), "show"))["content"][0]["text"] for _ in range(2)]
    assert first != second


async def counting(ctx: Context) -> str:
    """Would lose count if it saw what an earlier round had left."""
    before = await ctx.get_state("count") or 0
    await ctx.set_state("count", before + 1)
    sure = await ctx.elicit(f"Number {before + 1}?", bool)
    return f"{await ctx.get_state('count')} {sure.action}"


async def test_a_round_does_not_see_what_an_earlier_one_has_left_in_the_same_process() -> None:
    server = FastMCP("test")
    server.tool(counting)
    low = adapted(server)
    played = await play_tool(lambda: low, "counting", always(TRUE))
    assert played.asked == ["Number 1?"]
    assert played.text == "1 accept"


async def test_nor_what_a_state_that_was_sent_before_has_left() -> None:
    server = FastMCP("test")
    server.tool(counting)
    low = adapted(server, single_use=False)
    asked = await call(low, "counting")
    results = [
        await call(low, "counting", state=asked["requestState"], responses={"sure": TRUE}) for _ in range(2)
    ]
    assert [result["content"][0]["text"] for result in results] == ["1 accept"] * 2


async def test_what_cannot_be_stored_lives_for_the_call() -> None:
    async def hold(ctx: Context) -> str:
        tools: list[Any] = [object()]
        await ctx.set_state("tools", tools, serializable=False)
        await ctx.elicit("Ready?", bool)
        return str(await ctx.get_state("tools") is tools)

    assert (await play_tool(serving(hold), "hold", always(TRUE))).text == "True"
