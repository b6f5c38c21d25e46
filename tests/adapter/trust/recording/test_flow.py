"""What a flow keeps over its rounds of itself: its name, its keys, its time and its draws."""

from __future__ import annotations

from datetime import datetime, timezone
from uuid import uuid4

import pytest
from mcp.server.mcpserver import Context

from adapter.servers import Ok
from adapter.trust.recording.calls import twice_asking
from mrtr_adapter import flow, memo, now

pytestmark = pytest.mark.anyio


async def test_uuids_inside_a_recording_do_not_shift_those_outside() -> None:
    async def handler(ctx: Context) -> str:
        await memo("id", lambda: str(uuid4()))
        await ctx.elicit(f"Sure about {uuid4()}?", Ok)
        return "done"

    assert len((await twice_asking(handler)).rounds) == 1


async def test_the_time_stands_still_over_the_rounds_of_a_flow() -> None:
    seen: list[datetime] = []

    async def handler(ctx: Context) -> str:
        started = now()
        seen.append(started)
        await ctx.elicit(f"It is {started}, sure?", Ok)
        return str(now() > started)

    assert (await twice_asking(handler)).text == "True"
    assert seen[0] == seen[1]
    assert abs((datetime.now(timezone.utc) - seen[0]).total_seconds()) < 60
    assert seen[0].tzinfo is timezone.utc


async def test_the_time_goes_on_where_nothing_is_to_be_recorded() -> None:
    seen: list[datetime] = []

    async def handler(ctx: Context) -> str:
        seen.append(now())
        return (await ctx.elicit("Sure?", Ok)).action

    await twice_asking(handler, record=False)
    assert seen[0] < seen[1]


async def test_a_flow_has_one_name_and_one_key_for_each_effect_in_all_its_rounds() -> None:
    seen: list[tuple[str, str]] = []
    rounds: list[tuple[int, bool, bool]] = []

    async def handler(ctx: Context) -> str:
        seen.append((flow().id, flow().idempotency_key("charge")))
        before = flow().replaying
        await ctx.elicit("Sure?", Ok)
        rounds.append((flow().round, before, flow().replaying))
        await ctx.elicit("Really?", Ok)
        return flow().idempotency_key("other")

    played = await twice_asking(handler)
    assert len(set(seen)) == 1
    assert rounds == [(2, True, False), (3, True, True)]
    assert played.text != seen[0][1]
    assert (await twice_asking(handler)).text != played.text
