"""Answers that no state can carry are refused, out of the handler's sight."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import BaseModel

from adapter.rounds import call
from adapter.servers import serving

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
    ],
    ids=["endless number", "bottomless acceptance", "bottomless refusal"],
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
