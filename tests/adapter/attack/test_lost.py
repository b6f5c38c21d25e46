"""What a handler has handed over is not lost where its tasks and the end of a round cross."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import Context

from adapter.rounds import YES, Dispatch, call
from adapter.servers import Ok, serving
from mrtr_adapter import on_commit

pytestmark = pytest.mark.anyio


class Congested(Dispatch):
    """A client whose line takes its time, so that the round ends while a notification is under way."""

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        await anyio.sleep(0.3)
        await super().notify(method, params, opts)


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
async def test_a_notification_that_the_end_of_a_round_broke_off_goes_out_in_the_next() -> None:
    async def handler(ctx: Context) -> str:
        async def tell() -> None:
            await ctx.session.send_log_message(level="info", data="half way")

        await asyncio.gather(tell(), ctx.elicit("Go on?", Ok))
        return "done"

    make = serving(handler)
    told = []
    retry: dict[str, Any] = {}
    for _ in range(2):
        dispatch = Congested()
        meta = {"io.modelcontextprotocol/logLevel": "debug"}
        result = await call(make(), "tool", dispatch=dispatch, meta=meta, **retry)
        told.append([params["data"] for _, params in dispatch.sent])
        answers = dict.fromkeys(result.get("inputRequests", ()), YES)
        retry = {"state": result.get("requestState"), "responses": answers}
    assert result["resultType"] == "complete"
    assert told == [[], ["half way"]]


class Trailing:
    """A handler whose background task registers something once the call has ended."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.task: asyncio.Task[None] | None = None
        self.ended = asyncio.Event()

    async def handler(self, ctx: Context) -> str:
        self.task = asyncio.create_task(self.trail())
        return "done"

    async def trail(self) -> None:
        await self.ended.wait()
        on_commit(self.done.append, "notified")


async def test_on_commit_in_a_task_that_outlives_its_call_is_done_at_once() -> None:
    trailing = Trailing()
    await call(serving(trailing.handler)(), "tool")
    trailing.ended.set()
    assert trailing.task is not None
    await trailing.task
    assert trailing.done == ["notified"]


async def test_on_commit_in_a_task_that_outlives_an_older_call_is_done_at_once() -> None:
    trailing = Trailing()
    async with Client(serving(trailing.handler)(), mode="legacy") as client:
        await client.call_tool("tool", {})
        trailing.ended.set()
        assert trailing.task is not None
        await trailing.task
    assert trailing.done == ["notified"]
