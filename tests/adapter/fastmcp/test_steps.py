"""FastMCP 4's own step form behind `adapt`: on 2026-07-28 as FastMCP serves it, and on older protocols as well."""

from __future__ import annotations

from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.client import Client
from fastmcp.client.elicitation import ElicitResult
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

from adapter.rounds import KEY
from mrtr_adapter import adapt

pytestmark = pytest.mark.anyio


def question(message: str, state: str) -> InputRequiredResult:
    schema: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}}
    asked = ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))
    return InputRequiredResult(input_requests={"name": asked}, request_state=state)


def stepping() -> FastMCP[Any]:
    server = FastMCP("steps")

    async def name_of(ctx: Context, what: str) -> str | InputRequiredResult:
        answers = ctx.input_responses
        if answers is None:
            return question(f"Name of the {what}?", f"asked for the {what}")
        content = answers["name"].content  # type: ignore[union-attr]
        return f"{what} {(content or {})['name']}, {ctx.request_state}"

    @server.tool
    async def ship(ctx: Context) -> str | InputRequiredResult:
        return await name_of(ctx, "ship")

    @server.tool
    async def twice(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            return question("First?", "one")
        if ctx.request_state == "one":
            return question("Second?", "two")
        return f"done after {ctx.request_state}"

    @server.tool
    async def both(ctx: Context) -> str:
        sure = await ctx.elicit("Sure?", bool)
        inner = await ctx.fastmcp.call_tool("ship", {})
        return f"{sure.action} {type(inner).__name__}"

    @server.prompt
    async def song(ctx: Context) -> str | InputRequiredResult:
        return await name_of(ctx, "song")

    @server.resource("sea://{name}")
    async def sea(name: str, ctx: Context) -> str | InputRequiredResult:
        return await name_of(ctx, "sea")

    return adapt(server, keys=[KEY])


@pytest.fixture(params=["auto", "legacy"])
async def client(request: pytest.FixtureRequest) -> Any:
    async def elicit(message: str, *_: Any) -> ElicitResult[Any]:
        content = {"value": True} if message == "Sure?" else {"name": message.split()[-1].rstrip("?")}
        return ElicitResult(action="accept", content=content)

    async with Client(stepping(), mode=request.param, elicitation_handler=elicit) as connected:
        yield connected


async def test_a_tool(client: Any) -> None:
    assert (await client.call_tool("ship")).content[0].text == "ship ship, asked for the ship"


async def test_a_tool_of_two_steps(client: Any) -> None:
    assert (await client.call_tool("twice")).content[0].text == "done after two"


async def test_a_prompt(client: Any) -> None:
    said = (await client.get_prompt("song")).messages[0].content.text
    assert said == "song song, asked for the song"


async def test_a_resource(client: Any) -> None:
    assert (await client.read_resource("sea://north"))[0].text == "sea sea, asked for the sea"


async def test_a_handler_that_calls_one_gets_its_result_as_on_2026_07_28(client: Any) -> None:
    assert (await client.call_tool("both")).content[0].text == "accept InputRequiredToolResult"
