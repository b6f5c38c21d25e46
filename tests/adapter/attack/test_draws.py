"""The shared generator keeps something between two draws: it passes neither to a replay nor to another flow."""

from __future__ import annotations

import random
import uuid

import pytest
from mcp.server.mcpserver import Context

from adapter.rounds import YES, always, play_tool
from adapter.servers import Ok, serving

pytestmark = pytest.mark.anyio


async def test_an_odd_number_of_normal_draws_is_the_same_in_every_round() -> None:
    async def handler(ctx: Context) -> str:
        drawn = random.gauss(0, 1)
        await ctx.elicit(f"Take {drawn}?", Ok)
        return str(drawn)

    played = await play_tool(serving(handler), "tool", always(YES))
    assert played.asked == [f"Take {played.text}?"]


async def test_a_draw_in_a_flow_leaves_the_generator_outside_as_it_was() -> None:
    async def handler(ctx: Context) -> str:
        await ctx.elicit(f"Take {random.gauss(0, 1)}?", Ok)
        return "done"

    random.seed(7)
    random.gauss(0, 1)
    undisturbed = random.gauss(0, 1)
    random.seed(7)
    random.gauss(0, 1)
    await play_tool(serving(handler), "tool", always(YES))
    assert random.gauss(0, 1) == undisturbed


async def test_seeding_from_the_system_is_no_reason_to_draw_anew() -> None:
    async def handler(ctx: Context) -> str:
        random.seed()
        drawn = random.randrange(10**9)
        await ctx.elicit(f"Take {drawn}?", Ok)
        return str(drawn)

    played = await play_tool(serving(handler), "tool", always(YES))
    assert played.asked == [f"Take {played.text}?"]


async def test_a_handler_that_seeds_the_generator_still_gets_the_same_ids() -> None:
    async def handler(ctx: Context) -> str:
        random.seed(7)
        drawn = uuid.uuid4()
        await ctx.elicit(f"Open {drawn}?", Ok)
        return str(drawn)

    played = await play_tool(serving(handler), "tool", always(YES))
    assert played.asked == [f"Open {played.text}?"]
