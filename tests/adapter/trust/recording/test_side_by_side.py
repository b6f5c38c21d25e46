"""Recordings in tasks and threads, and one that is still running when its round ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import anyio
import anyio.from_thread
import pytest
from mcp.server.mcpserver import Context

from adapter.servers import Ok
from adapter.trust.recording.calls import Calls, twice_asking
from mrtr_adapter import memo, once
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


async def test_recordings_may_run_side_by_side_and_inside_one_another(store: MemoryStore | None) -> None:
    world = Calls()
    results: dict[str, Any] = {}

    async def outer() -> int:
        return 10 * await memo("inner", world, "inner")

    async def keep(name: str, function: Callable[..., Any], *args: Any) -> None:
        results[name] = await once(name, function, *args)

    async def handler(ctx: Context) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(keep, "outer", outer)
            for number in range(3):
                group.start_soon(keep, f"call-{number}", world, number)
        await ctx.elicit("Sure?", Ok)
        return str(sorted(results))

    played = await twice_asking(handler, store=store)
    assert played.text == "['call-0', 'call-1', 'call-2', 'outer']"
    assert sorted(map(str, world.made)) == ["0", "1", "2", "inner"]


async def test_an_effect_that_has_begun_is_finished_and_recorded_although_the_round_ends(
    store: MemoryStore | None,
) -> None:
    world = Calls()
    asked = anyio.Event()

    async def slow() -> int:
        world("begun")
        asked.set()
        await anyio.sleep(0.2)
        return world("finished")

    async def handler(ctx: Context) -> str:
        answer = ""

        async def ask() -> None:
            nonlocal answer
            await asked.wait()
            answer = (await ctx.elicit("Sure?", Ok)).action

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            group.start_soon(once, "slow", slow)
        return answer

    assert (await twice_asking(handler, store=store)).text == "accept"
    assert world.made == ["begun", "finished"]


async def test_sync_handlers_record_from_their_threads(store: MemoryStore | None) -> None:
    world = Calls()

    def handler(ctx: Context) -> str:
        charged = anyio.from_thread.run(once, "charge", world, 7)
        anyio.from_thread.run(ctx.elicit, "Sure?", Ok)
        return f"{charged} in {threading.current_thread() is threading.main_thread()}"

    assert (await twice_asking(handler, store=store)).text == "1 in False"
    assert world.made == [7]
