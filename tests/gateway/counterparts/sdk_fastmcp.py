"""An old server by mcp 1.x: its FastMCP. `python sdk_fastmcp.py stdio|PORT`."""

from __future__ import annotations

import sys

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

server = FastMCP("old trips", port=int(sys.argv[1]) if sys.argv[1] != "stdio" else 8000)


class City(BaseModel):
    city: str


class Sure(BaseModel):
    sure: bool


@server.tool()
async def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def book(person: str, ctx: Context) -> str:
    city = await ctx.elicit(f"Where does {person} go?", City)
    if city.action != "accept":
        return "no city"
    sure = await ctx.elicit(f"Send {person} to {city.data.city}?", Sure)
    return f"{person} goes to {city.data.city}: {sure.action == 'accept' and sure.data.sure}"


@server.tool()
async def praise(ctx: Context) -> str:
    question = SamplingMessage(role="user", content=TextContent(type="text", text="Say something nice"))
    answer = await ctx.session.create_message([question], max_tokens=50)
    return f"praise: {answer.content.text}"


@server.tool()
async def where(ctx: Context) -> str:
    return ",".join(str(root.uri) for root in (await ctx.session.list_roots()).roots)


@server.tool()
async def login(ctx: Context) -> str:
    answer = await ctx.elicit_url("Please log in", "https://example.com/login", "e-1")
    return f"login: {answer.action}"


@server.prompt()
async def letter(person: str, ctx: Context) -> str:
    city = await ctx.elicit(f"Where does {person} live?", City)
    return f"Write to {person} in {city.data.city}"


@server.resource("map://{person}")
async def map_of(person: str, ctx: Context) -> str:
    city = await ctx.elicit(f"Which map for {person}?", City)
    return f"map of {city.data.city}"


if __name__ == "__main__":
    server.run("stdio" if sys.argv[1] == "stdio" else "streamable-http")
