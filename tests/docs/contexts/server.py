"""A server to adapt, for blocks that show options; each must be taken, and the server go on listing its tools."""

from __future__ import annotations

from typing import Any

import anyio
from mcp import Client
from mcp.server.mcpserver import MCPServer

from mrtr_adapter import adapt


def names() -> dict[str, Any]:
    mcp = MCPServer("desk")
    mcp.tool("deploy")(_nothing)
    mcp.tool("pay")(_nothing)
    mcp.tool("book")(_nothing)
    return {"mcp": mcp, "adapt": adapt}


def check(names: dict[str, Any]) -> None:
    assert anyio.run(_tools, names["mcp"]) == {"deploy", "pay", "book"}


async def _tools(server: MCPServer) -> set[str]:
    async with Client(server) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


def _nothing() -> str:
    return ""
