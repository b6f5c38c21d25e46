"""Recordings, effects and single use on a FastMCP server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from mcp.shared.exceptions import MCPError
from mcp_types import ToolAnnotations

from adapter.rounds import KEY, call
from adapter.trust.stores import KINDS, opened
from mrtr_adapter import adapt, memo, on_commit, once
from mrtr_adapter.stores import Store

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return opened(request.param, tmp_path)


def bank(done: list[str], store: Store) -> Any:
    server = FastMCP("bank")

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    async def pay(ctx: Context) -> str:
        on_commit(done.append, "told")
        rate = await memo("rate", lambda: 1.5)
        answer = await ctx.elicit("Pay?", bool)
        await once("pay", done.append, "paid")
        return f"{answer.action} at {rate}, {len(done)} done"

    @server.tool
    async def write(path: str, ctx: Context) -> str:
        Path(path).write_text("x")
        return str((await ctx.elicit("Sure?", bool)).action)

    return adapt(server, keys=[KEY], store=store, on_effect="refuse")._mcp_server


async def test_a_state_of_a_destructive_tool_is_redeemed_once(store: Store) -> None:
    done: list[str] = []
    state = (await call(bank(done, store), "pay"))["requestState"]
    accepted = {"answer": {"action": "accept", "content": {"value": True}}}
    for _ in range(3):
        result = await call(bank(done, store), "pay", state=state, responses=accepted)
        assert result["content"][0]["text"] == "accept at 1.5, 1 done"
    assert done == ["paid", "told"]


async def test_effects_above_a_question_are_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(MCPError, match="write did this before it had its answer"):
        await call(bank([], store), "write", {"path": str(tmp_path / "above")})
