"""What `mrtr run` can serve, `mrtr verify` can verify: every kind of server, question and handler."""

from __future__ import annotations

from pathlib import Path

from adapter.verify.servers import YES, case, report

FAST = """
from fastmcp import Context, FastMCP
from fastmcp.prompts.prompt import Message  # FastMCP 4 has moved it

mcp = FastMCP("poll")


@mcp.tool
async def vote(ctx: Context) -> str:
    choice = await ctx.elicit("Which?", response_type=["red", "blue"])
    said = await ctx.sample(f"Praise {choice.data}.")
    roots = await ctx.list_roots()
    return f"{choice.data}: {said.text}, {len(roots)} roots"


mcp.run()
"""


def test_a_file_for_fastmcp_3(tmp_path: Path) -> None:
    answers = [
        {"action": "accept", "content": {"value": "blue"}},
        {"text": "Oh blue."},
        {"roots": [{"uri": "file://{folder}"}]},
    ]
    told = report(tmp_path, FAST, [case("vote", *answers, tool="vote")])
    assert told["status"] == 0, told
    assert told["cases"][0]["runs"]["adapted"]["text"] == "blue: Oh blue., 1 roots"


LOW = """
from mcp.server import Server
from mcp.types import CallToolResult, TextContent

SURE = {"type": "object", "properties": {"sure": {"type": "boolean"}}}


async def call(ctx, params):
    answer = await ctx.session.elicit_form("Sure?", SURE)
    return CallToolResult(content=[TextContent(type="text", text=answer.action)])


def build():
    return Server("low", on_call_tool=call)
"""


def test_a_low_level_server_out_of_a_function(tmp_path: Path) -> None:
    told = report(tmp_path, LOW, [case("call", YES, tool="anything")], server_object="build")
    assert told["status"] == 0, told


LETTERS = """
import asyncio

from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp.types import ElicitRequestURLParams
from pydantic import BaseModel

mcp = MCPServer("letters")


class Name(BaseModel):
    name: str


@mcp.prompt()
async def greet(ctx: Context) -> str:
    return f"Greet {(await ctx.elicit('Whom?', Name)).data.name}."


@mcp.resource("letters://{year}")
async def letters(year: str, ctx: Context) -> str:
    return f"{year}: {(await ctx.elicit('Your name?', Name)).action}"


@mcp.tool()
async def both(ctx: Context) -> str:
    first, second = await asyncio.gather(ctx.elicit("One?", Name), ctx.session.list_roots())
    return f"{first.data.name}, {len(second.roots)}"


@mcp.tool()
async def connect(ctx: Context) -> str:
    page = ElicitRequestURLParams(mode="url", message="Sign in", url="https://example.org", elicitation_id="1")
    raise UrlElicitationRequiredError([page])
"""


def test_prompts_resources_parallel_questions_and_raised_pages(tmp_path: Path) -> None:
    def named(name: str) -> dict[str, object]:
        return {"action": "accept", "content": {"name": name}}

    cases = [
        case("prompt", named("Ada"), prompt="greet"),
        case("resource", {"action": "cancel"}, resource="letters://2019"),
        case("parallel", {"roots": []}, named("a"), tool="both"),
        case("refused page", {"action": "decline"}, tool="connect"),
    ]
    told = report(tmp_path, LETTERS, cases)
    assert told["status"] == 0, told
    assert told["cases"][2]["runs"]["adapted"]["text"] == "a, 0"
    groups = [question["group"] for question in told["cases"][2]["runs"]["native"]["questions"]]
    assert groups == [1, 1]
