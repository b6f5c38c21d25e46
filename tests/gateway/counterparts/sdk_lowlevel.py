"""An old server by mcp 1.x: the low-level `Server`, over stdio."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import TextContent, Tool

server: Server[Any] = Server("old lights")
FORM = {"type": "object", "properties": {"level": {"type": "integer"}}, "required": ["level"]}


@server.list_tools()
async def tools() -> list[Tool]:
    return [Tool(name="dim", description="Dims a lamp", inputSchema={"type": "object"})]


@server.call_tool()
async def call(name: str, arguments: dict[str, Any]) -> list[TextContent]:
    session = server.request_context.session
    answer = await session.elicit("How bright?", FORM, related_request_id=server.request_context.request_id)
    return [TextContent(type="text", text=f"{arguments['lamp']}: {answer.action} {answer.content}")]


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
