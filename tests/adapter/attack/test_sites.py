"""The place that asks is the handler's own, never that of whoever started the event loop."""

from __future__ import annotations

import asyncio

import pytest
from mcp.server.mcpserver import Context

from adapter.rounds import call
from adapter.servers import Ok, serving

pytestmark = pytest.mark.anyio


async def test_an_ask_that_is_a_task_of_its_own_is_not_called_after_the_loops_caller() -> None:
    async def handler(ctx: Context) -> str:
        await asyncio.gather(ctx.elicit("This?", Ok), ctx.elicit("That?", Ok))
        return "done"

    result = await call(serving(handler)(), "tool")
    assert set(result["inputRequests"]) == {"answer", "answer_2"}
