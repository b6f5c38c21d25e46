"""A cancellation of the request is told from ours, and from those that its task has outlived."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from mcp.server.mcpserver import Context

from adapter.rounds import call
from adapter.servers import Ok, serving

pytestmark = pytest.mark.anyio


async def asking(ctx: Context) -> str:
    with contextlib.suppress(BaseException):
        await ctx.elicit("Go on?", Ok)
    return "went on"


async def test_a_task_that_has_outlived_a_cancellation_still_gets_its_question() -> None:
    async def client() -> dict[str, Any]:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(1)
        return await call(serving(asking)(), "tool")

    result = await asyncio.create_task(client())
    assert result["resultType"] == "input_required"


async def test_a_request_that_is_cancelled_while_its_round_ends_stays_cancelled() -> None:
    async def handler(ctx: Context) -> str:
        try:
            return await asking(ctx)
        finally:
            request.cancel()

    request = asyncio.create_task(call(serving(handler)(), "tool"))
    with pytest.raises(asyncio.CancelledError):
        await request
