"""What is nested without end stops nothing; answers that no state can carry are refused, out of the handler's sight."""

from __future__ import annotations

import contextlib
from typing import Any

import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import BaseModel

from adapter.rounds import KEY, always, call, play_tool
from adapter.servers import serving
from mrtr_adapter import adapt

pytestmark = pytest.mark.anyio


class Count(BaseModel):
    count: int


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"deeper": value}
    return value


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "accept", "content": {"count": 10**5000}},
        {"action": "accept", "content": {"count": 1}, "_meta": nested(5000)},
        {"action": "decline", "_meta": nested(5000)},
        {"action": "accept", "content": {"count": 1}, "_meta": nested(65)},
    ],
    ids=["endless number", "bottomless acceptance", "bottomless refusal", "deep acceptance"],
)
async def test_an_answer_that_no_state_can_carry_is_a_protocol_error(answer: dict[str, Any]) -> None:
    went_on = False

    async def handler(ctx: Context) -> str:
        nonlocal went_on
        with contextlib.suppress(Exception):
            await ctx.elicit("How many?", Count)
            await ctx.elicit("Really?", Count)
        went_on = True
        return "went on"

    make = serving(handler)
    first = await call(make(), "tool")
    with pytest.raises(MCPError) as raised:
        await call(make(), "tool", state=first["requestState"], responses={"answer": answer})
    assert raised.value.error.code == INVALID_PARAMS
    assert "'answer'" in raised.value.error.message
    assert not went_on


async def test_an_answer_may_be_nested_as_deeply_as_people_nest() -> None:
    async def handler(ctx: Context) -> str:
        await ctx.elicit("How many?", Count)
        return "told"

    answer = {"action": "accept", "content": {"count": 1}, "_meta": nested(60)}
    assert (await play_tool(serving(handler), "tool", always(answer))).text == "told"


async def test_arguments_may_be_nested_as_deeply_as_the_server_itself_takes() -> None:
    seen: list[int] = []

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        value: Any = params.arguments
        depth = 0
        while value := value.get("deeper"):
            depth += 1
        seen.append(depth)
        return types.CallToolResult(content=[])

    server = adapt(Server("test", on_list_tools=list_tools, on_call_tool=call_tool), keys=[KEY])
    await call(server, "tool", nested(900))
    assert seen == [899]
