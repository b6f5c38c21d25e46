"""Tasks that outlive their handler: one that has asked and got no answer does not act, whatever it catches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context

from adapter.rounds import YES, always, call, play_tool
from adapter.servers import Ok, serving

pytestmark = pytest.mark.anyio


class Straggling:
    """Handlers whose asking task catches what stops it, and comes to its deletion after the handler has ended."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.tasks: list[asyncio.Future[Any]] = []

    async def ask_and_delete(self, ctx: Context) -> str:
        try:
            await ctx.elicit("Delete?", Ok)
        except BaseException:
            pass
        self.target.unlink()
        return "deleted"

    def start(self, ctx: Context) -> asyncio.Future[str]:
        task = asyncio.ensure_future(self.ask_and_delete(ctx))
        self.tasks.append(task)
        return task

    async def not_awaiting(self, ctx: Context) -> str:
        self.start(ctx)
        await asyncio.sleep(0.01)
        return "begun"

    async def shielding(self, ctx: Context) -> str:
        return await asyncio.shield(self.start(ctx))

    async def waiting_for_a_while(self, ctx: Context) -> str:
        await asyncio.wait([self.start(ctx)], timeout=0.001)
        return "begun"


HANDLERS = ["not_awaiting", "shielding", "waiting_for_a_while"]


@pytest.fixture
def straggling(tmp_path: Path) -> Straggling:
    target = tmp_path / "precious"
    target.write_text("x")
    return Straggling(target)


@pytest.mark.parametrize("name", HANDLERS)
async def test_a_task_that_outlives_its_handler_never_deletes_unconfirmed(
    name: str, straggling: Straggling
) -> None:
    handler: Callable[..., Any] = getattr(straggling, name)
    result = await call(serving(handler)(), "tool")
    await asyncio.wait(straggling.tasks)
    assert result["resultType"] == "input_required"
    assert straggling.target.exists()


@pytest.mark.parametrize("name", HANDLERS)
async def test_once_confirmed_it_does(name: str, straggling: Straggling) -> None:
    await play_tool(serving(getattr(straggling, name)), "tool", always(YES))
    await asyncio.wait(straggling.tasks)
    assert not straggling.target.exists()
