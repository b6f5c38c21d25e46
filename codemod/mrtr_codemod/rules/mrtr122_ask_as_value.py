"""MRTR122: an ask that is handed on as a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.asks import Spelling
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_CALLBACK = """
from fastmcp import Context, FastMCP
from agents import Agent
mcp = FastMCP("agent")
@mcp.tool
async def work(ctx: Context) -> str:
    agent = Agent(confirm=ctx.elicit)
    return await agent.run()
"""
_ARGUMENT = """
from mcp.server.fastmcp import Context, FastMCP
from agents import retry
mcp = FastMCP("agent")
@mcp.tool()
async def work(ctx: Context) -> str:
    return await retry(ctx.session.create_message, [])
"""
_CALLED = """
import functools
import anyio.from_thread
from fastmcp import Context, FastMCP
mcp = FastMCP("agent")
@mcp.tool
async def work(ctx: Context) -> str:
    ask = ctx.elicit
    return str(await ask("Really?", response_type=bool))
@mcp.tool
def wait(ctx: Context) -> str:
    return str(anyio.from_thread.run(ctx.elicit, "Really?", bool))
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    for scope in view.asking:
        for key, fact in scope.asks.items():
            if fact.spelling is Spelling.VALUE:
                text = f"`{fact.name.replace('()', '')}` is handed on here: who asks, and how often, cannot be followed"
                yield view.finding(RULE, key, text, scope=scope.scope)


RULE = Rule(
    code="MRTR122",
    name="ask-as-value",
    level=Level.WARNING,
    summary="An ask is handed on as a value, to be called by something else.",
    what="Finds `ctx.elicit` and its like as an argument of a call that is not known to call it at once. "
    "`anyio.from_thread.run(ctx.elicit, …)` is, and counts as an ask.",
    why="Protocol 2026-07-28 has no requests from server to client. Whoever gets the method will fail when it "
    "asks; where that is, and what it does then, the code here does not say.",
    example="```python\nagent = Agent(confirm=ctx.elicit)\n```",
    remedy="Hand on a function of your own that returns what is to be asked, and ask in the handler. The "
    "adapter runs the handler as it is, as long as the asks happen while the call lasts.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_CALLED,),
    invalid=(_CALLBACK, _ARGUMENT),
)
