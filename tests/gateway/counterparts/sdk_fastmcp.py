"""An old server by mcp 1.x: its FastMCP. `python sdk_fastmcp.py stdio|PORT`."""

from __future__ import annotations

import asyncio
import sys

from mcp.server.fastmcp import Context, FastMCP
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.types import (
    ElicitRequestURLParams,
    SamplingMessage,
    TextContent,
    Tool,
    ToolResultContent,
    ToolUseContent,
)
from pydantic import BaseModel

server = FastMCP("old trips", port=int(sys.argv[1]) if sys.argv[1] != "stdio" else 8000)


class City(BaseModel):
    city: str


class Sure(BaseModel):
    sure: bool


WEATHER = Tool(
    name="weather",
    description="The weather in a city",
    inputSchema={"type": "object", "properties": {"name": {"type": "string"}}},
)
LOGIN = ElicitRequestURLParams(
    mode="url", message="Log in first", url="https://example.com/login", elicitationId="e-2"
)
logged_in: set[object] = set()


def says(text: str) -> SamplingMessage:
    return SamplingMessage(role="user", content=TextContent(type="text", text=text))


def weather(use: ToolUseContent) -> ToolResultContent:
    told = TextContent(type="text", text=f"{use.input['name']} is sunny")
    return ToolResultContent(type="tool_result", toolUseId=use.id, content=[told])


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
    answer = await ctx.session.create_message([says("Say something nice")], max_tokens=50)
    return f"praise: {answer.content.text}"


@server.tool()
async def forecast(ctx: Context) -> str:
    """Let the client's model use a tool of this server."""
    talk = [says("What will the weather be?")]
    uses = await ctx.session.create_message(talk, max_tokens=50, tools=[WEATHER])
    talk.append(SamplingMessage(role="assistant", content=uses.content))
    talk.append(SamplingMessage(role="user", content=[weather(use) for use in uses.content]))
    answer = await ctx.session.create_message(talk, max_tokens=50, tools=[WEATHER])
    return f"forecast: {answer.content.text}"


@server.tool()
async def plan(person: str, ctx: Context) -> str:
    """Ask the user, the model and the client at once."""
    city, words, listing = await asyncio.gather(
        ctx.elicit(f"Where does {person} plan to go?", City),
        ctx.session.create_message([says("Name a month")], max_tokens=50),
        ctx.session.list_roots(),
    )
    return f"{city.data.city}, {words.content.text}, {len(listing.roots)} roots"


@server.tool()
async def where(ctx: Context) -> str:
    return ",".join(str(root.uri) for root in (await ctx.session.list_roots()).roots)


@server.tool()
async def login(ctx: Context) -> str:
    answer = await ctx.elicit_url("Please log in", "https://example.com/login", "e-1")
    return f"login: {answer.action}"


@server.tool()
async def members(ctx: Context) -> str:
    """For those who have logged in, which this session remembers."""
    if ctx.session not in logged_in:
        logged_in.add(ctx.session)
        raise UrlElicitationRequiredError([LOGIN])
    return "members: all of them"


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
