"""MRTR206: sampling is deprecated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule
from mrtr_codemod.rules.deprecated import uses

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_ASK = """
from fastmcp import Context, FastMCP
mcp = FastMCP("notes")
@mcp.tool
async def summarise(text: str, ctx: Context) -> str:
    return (await ctx.sample(text)).text
"""
_REQUEST = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CreateMessageRequest, CreateMessageRequestParams, InputRequiredResult
mcp = MCPServer("notes")
@mcp.tool()
async def summarise(text: str, ctx: Context) -> str | InputRequiredResult:
    if not ctx.input_responses:
        request = CreateMessageRequest(params=CreateMessageRequestParams(messages=[], max_tokens=100))
        return InputRequiredResult(input_requests={"summary": request})
    return "done"
"""
_MARKER = """
from mcp.server.mcpserver import Sample
def summary(text: str) -> Sample:
    return Sample([], max_tokens=100)
"""
_CLIENT = """
from mcp import ClientSession
from mcp.shared.context import RequestContext
from mcp.types import CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult
async def answer(context: RequestContext[ClientSession, None], params: CreateMessageRequestParams):
    return CreateMessageResult(role="assistant", content={"type": "text", "text": ""}, model="m")
"""
_PROVIDER = """
import anthropic
import mcp
client = anthropic.AsyncAnthropic()
async def summarise(text: str) -> str:
    reply = await client.messages.create(model="m", max_tokens=100, messages=[])
    return reply.content[0].text
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each use."""
    for key in uses(view, AskKind.SAMPLING, "CreateMessageRequest", "Sample"):
        yield view.finding(
            RULE, key, "sampling is deprecated in 2026-07-28; call a model provider of your own"
        )


RULE = Rule(
    code="MRTR206",
    name="sampling-deprecated",
    level=Level.INFO,
    summary="Sampling is deprecated.",
    what="Points out where the client's model is used: by `create_message` and `ctx.sample`, and also by a "
    "sampling request in an `InputRequiredResult` or a resolver's `Sample`.",
    why="Sampling still works inside an `InputRequiredResult`, but the revision deprecates it: clients that "
    "never had it "
    "will not add it, and a later revision may remove it.",
    example="```python\nreply = await ctx.sample(text)\n```",
    remedy="Existing servers may migrate it during the deprecation window. New code calls a model provider by "
    "its own API, "
    "or leaves the thinking to the client's model by returning what it needs.",
    reference=SPEC + "client/sampling",
    check=check,
    words=("create_message", ".sample", "CreateMessageRequest", "Sample("),
    valid=(_CLIENT, _PROVIDER),
    invalid=(_ASK, _REQUEST, _MARKER),
)
