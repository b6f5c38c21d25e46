"""A handler that has the server's own tasks ask for it is told so, and never brings them down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from anyio.abc import TaskGroup
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError

from adapter.rounds import YES, always, call, play_tool
from adapter.servers import Ok, serving

pytestmark = pytest.mark.anyio


async def beside(work: Callable[[], Any]) -> Any:
    """Run `work` in a task of its own, as a transport runs a request."""
    found = []

    async def run() -> None:
        found.append(await work())

    async with anyio.create_task_group() as group:
        group.start_soon(run)
    return found[0]


def working_in(start: Callable[[Callable[[], Any]], Any]) -> Callable[[Context], Any]:
    """A handler that has its question asked by a task that `start` starts, and waits for the answer."""

    async def handler(ctx: Context) -> str:
        found: list[str] = []
        done = anyio.Event()

        async def work() -> None:
            try:
                found.append((await ctx.elicit("Go?", Ok)).action)
            finally:
                done.set()

        start(work)
        await done.wait()
        return str(found)

    return handler


async def test_a_task_in_a_group_of_the_servers_asks_and_the_group_lives_on() -> None:
    alive = []
    async with anyio.create_task_group() as server_group:
        handler = working_in(server_group.start_soon)
        for _ in range(2):
            played = await beside(lambda: play_tool(serving(handler), "tool", always(YES)))
            assert (played.text, played.asked) == ("['accept']", ["Go?"])
        server_group.start_soon(_note, alive)
        await anyio.sleep(0.01)
        assert alive == ["alive"]
        server_group.cancel_scope.cancel()


@pytest.mark.skipif(not hasattr(asyncio, "TaskGroup"), reason="asyncio.TaskGroup came with Python 3.11")
async def test_a_task_in_an_asyncio_group_of_the_servers_asks_and_the_group_lives_on() -> None:
    alive: list[str] = []
    async with asyncio.TaskGroup() as server_group:
        handler = working_in(lambda work: server_group.create_task(work()))
        for _ in range(2):
            played = await beside(lambda: play_tool(serving(handler), "tool", always(YES)))
            assert (played.text, played.asked) == ("['accept']", ["Go?"])
        server_group.create_task(_note(alive))
    assert alive == ["alive"]


async def test_a_worker_that_calls_share_is_refused_and_lives_on(caplog: pytest.LogCaptureFixture) -> None:
    jobs: asyncio.Queue[Any] = asyncio.Queue()

    async def worker() -> None:
        while True:
            job, done = await jobs.get()
            try:
                done.set_result(await job())
            except Exception as error:
                if not done.done():
                    done.set_exception(error)

    async def asking(ctx: Context) -> str:
        done = asyncio.get_running_loop().create_future()

        async def job() -> str:
            return (await ctx.elicit("Go?", Ok)).action

        jobs.put_nowait((job, done))
        return str(await done)

    async def working() -> str:
        done = asyncio.get_running_loop().create_future()

        async def job() -> str:
            return "worked"

        jobs.put_nowait((job, done))
        return str(await done)

    task = asyncio.create_task(worker())
    try:
        for _ in range(2):
            with anyio.fail_after(5), pytest.raises(MCPError) as caught:
                await call(serving(asking)(), "tool")
            assert "from a task that the server shares between calls" in caught.value.message
            assert "test_foreign_tasks.py:" in caught.value.message
        assert "shares between calls" in caplog.text
        with anyio.fail_after(5):
            assert (await call(serving(working)(), "tool"))["content"][0]["text"] == "worked"
    finally:
        task.cancel()


async def _note(alive: list[str]) -> None:
    alive.append("alive")


async def test_a_group_of_the_handlers_own_is_stopped_at_any_depth() -> None:
    async def deep(ctx: Context, group: TaskGroup, depth: int) -> None:
        async with anyio.create_task_group() as inner:
            if depth:
                inner.start_soon(deep, ctx, inner, depth - 1)
            else:
                with anyio.CancelScope(shield=True):
                    await ctx.elicit("Deep?", Ok)

    async def handler(ctx: Context) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(deep, ctx, group, 3)
        return "done"

    played = await beside(lambda: play_tool(serving(handler), "tool", always(YES)))
    assert (played.text, played.asked) == ("done", ["Deep?"])
