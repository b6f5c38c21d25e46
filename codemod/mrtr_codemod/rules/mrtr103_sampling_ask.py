"""MRTR103: the client's model is used in the middle of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.asks import report_asks
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_SESSION = """
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("notes")
@mcp.tool()
async def summarise(text: str, ctx: Context) -> str:
    session = ctx.request_context.session
    reply = await session.create_message(messages=[], max_tokens=100)
    return reply.model
"""
_SAMPLE = """
from fastmcp import FastMCP
from fastmcp.server.dependencies import get_context
mcp = FastMCP("notes")
@mcp.tool
async def summarise(text: str) -> str:
    ctx = get_context()
    step = await ctx.sample_step(text)
    return (await ctx.sample(step.text)).text
"""
_STDLIB = """
import random
from fastmcp import Context, FastMCP
mcp = FastMCP("dice")
@mcp.tool
async def draw(ctx: Context) -> list[int]:
    await ctx.info("drawing")
    return random.sample(range(6), 2)
"""
_OTHER_PROTOCOL = """
import discord
from fastmcp import FastMCP
mcp = FastMCP("chat")
channel = discord.Channel()
@mcp.tool
async def post(text: str) -> None:
    await channel.create_message(text)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    return report_asks(RULE, view, AskKind.SAMPLING, "asks the client's model")


RULE = Rule(
    code="MRTR103",
    name="sampling-ask",
    level=Level.WARNING,
    summary="The client's model is used in the middle of a call.",
    what="Finds calls that push `sampling/createMessage` to the client: `session.create_message`, "
    "`ctx.sample`, "
    "`ctx.sample_step`, `session.send_request(CreateMessageRequest…)`.",
    why="Protocol 2026-07-28 has no requests from server to client; FastMCP 4 has no `ctx.sample` any more. "
    "Sampling itself "
    "is deprecated in this revision.",
    example="```python\nreply = await ctx.session.create_message(messages, max_tokens=200)\n```",
    remedy="During the deprecation window, put the sampling request into an `InputRequiredResult` (`mrtr "
    "rewrite`) or run "
    "the handler under the adapter. In the long run, call a model provider of your own.",
    reference=SPEC + "client/sampling",
    check=check,
    valid=(_STDLIB, _OTHER_PROTOCOL),
    invalid=(_SESSION, _SAMPLE),
)
