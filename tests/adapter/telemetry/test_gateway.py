"""What a gateway tells of its calls: how many it holds, which it runs again, and never what is said in them."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import ElicitResult, InputRequiredResult

from adapter.rounds import KEY
from adapter.telemetry.emitted import Emitted, Point
from adapter.telemetry.test_secrets import ANSWERED, ASKED, assert_silent
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.gateway import running
from mrtr_adapter.gateway.policy import ReplayPolicy
from mrtr_adapter.gateway.pool import PoolLimits
from mrtr_adapter.gateway.settings import Settings

pytestmark = pytest.mark.anyio

OLD = f"""
from pydantic import BaseModel
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("old")

class Name(BaseModel):
    name: str

@server.tool()
async def tool(ctx: Context) -> str:
    first = await ctx.elicit("{ASKED} one?", Name)
    second = await ctx.elicit("{ASKED} two?", Name)
    return f"{{first.action}} {{second.action}}"

server.run("stdio")
"""
ANSWER = ElicitResult(action="accept", content={"name": ANSWERED})


@asynccontextmanager
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    """A client of a gateway in this process, which shares its key with others like it."""
    script = tmp_path / "old.py"
    script.write_text(OLD)
    settings = Settings(
        Command([sys.executable, str(script)]),
        pool=PoolLimits(spare=0),
        replay=ReplayPolicy("all"),
        keys=[KEY],
    )
    async with running(settings) as gateway, Client(gateway.front, elicitation_callback=_never) as found:
        yield found


async def _never(*_: Any) -> ElicitResult:
    raise AssertionError("pushed on 2026-07-28")


async def send(to: Client, before: Any = None) -> Any:
    """The next round of a call."""
    requests = getattr(before, "input_requests", None) or {}
    return await to.session.call_tool(
        "tool",
        {},
        allow_input_required=True,
        input_responses=dict.fromkeys(requests, ANSWER) or None,
        request_state=getattr(before, "request_state", None),
    )


def held(out: Emitted) -> float:
    return sum(point.value for point in out.points("mrtr.calls.held"))


async def test_a_held_call_is_counted_while_it_waits_and_is_no_replay(out: Emitted, tmp_path: Path) -> None:
    async with client(tmp_path) as connected:
        first = await send(connected)
        assert isinstance(first, InputRequiredResult)
        assert held(out) == 1
        second = await send(connected, first)
        assert held(out) == 1
        last = await send(connected, second)
        assert last.content[0].text == "accept accept"
        assert held(out) == 0
    assert out.points("mrtr.replays") == []
    assert [told["outcome"] for told in out.told] == ["input_required", "input_required", "complete"]
    assert_silent(out, first.request_state or "", second.request_state)


async def test_a_call_that_is_run_again_elsewhere_is_a_replay(out: Emitted, tmp_path: Path) -> None:
    async with client(tmp_path) as one:
        first = await send(one)
    assert held(out) == 0  # it ended with its gateway
    async with client(tmp_path) as other:
        second = await send(other, first)
        await send(other, second)
    target = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "tool"}
    assert out.points("mrtr.replays") == [Point(target, 1)]
    assert_silent(out, first.request_state or "", second.request_state)
