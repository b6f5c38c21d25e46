"""How much a flow records."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import call
from adapter.servers import Ok, serving
from mrtr_adapter import adapt, memo
from mrtr_adapter.telemetry import spans

pytestmark = pytest.mark.anyio


async def test_recordings_cost_nothing_in_the_state_of_a_flow_without_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spans, "here", lambda: None)  # whether somebody traces is another matter

    async def handler(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Ok)).action

    server = adapt(MCPServer("plain"), keys=["k" * 40], single_use=False)
    server.add_tool(handler, name="tool")
    assert len((await call(server, "tool"))["requestState"]) < 545


async def test_too_many_entries_end_the_flow_and_the_largest_is_named() -> None:
    async def handler(ctx: Context) -> str:
        for number in range(5):
            await memo(f"entry-{number}", lambda: "x" * 10)
        await memo("the large one", lambda: "x" * 500)
        return (await ctx.elicit("Sure?", Ok)).action

    with pytest.raises(MCPError, match=r"records 6 entries and may record 5 \(max_entries\)") as caught:
        await call(serving(handler, max_entries=5)(), "tool")
    assert caught.value.data["largest"] == "what was recorded as 'the large one', 502 bytes"
