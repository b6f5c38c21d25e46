"""The first example of the README: a tool that asks, which fails on 2026-07-28 until its server is adapted."""

from __future__ import annotations

from typing import Any

import anyio
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import NoBackChannelError
from mcp.types import ElicitResult
from pydantic import BaseModel

from mrtr_adapter import adapt


class Confirm(BaseModel):
    ok: bool


def names() -> dict[str, Any]:
    return {"mcp": MCPServer("desk"), "Context": Context, "Confirm": Confirm}


def check(names: dict[str, Any]) -> None:
    assert anyio.run(_called, names["mcp"]) == "raises"
    adapt(names["mcp"])
    assert anyio.run(_called, names["mcp"]) == "Nothing deleted."


async def _called(server: MCPServer) -> str:
    async def decline(*_: Any) -> ElicitResult:
        return ElicitResult(action="decline")

    async with Client(server, elicitation_callback=decline) as client:
        try:
            result: Any = await client.call_tool("delete_files", {"paths": ["a"]})
        except NoBackChannelError:
            return "raises"
        return str(result.content[0].text)
