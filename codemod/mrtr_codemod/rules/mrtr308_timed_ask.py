"""MRTR308: a timeout around an ask, which counted the time the user takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.around import first_ask, timed
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_HEAD = """
import asyncio
import anyio
from fastmcp import Context, FastMCP
mcp = FastMCP("valves")
"""
_MOVE_ON = (
    _HEAD
    + """
@mcp.tool
async def shut(ctx: Context) -> str:
    answer = None
    with anyio.move_on_after(30):
        answer = await ctx.elicit("Shut it?", response_type=bool)
    return "nobody answered" if answer is None else answer.action
"""
)
_WAIT_FOR = (
    _HEAD
    + """
@mcp.tool
async def shut(ctx: Context) -> str:
    answer = await asyncio.wait_for(ctx.elicit("Shut it?", response_type=bool), timeout=30)
    return answer.action
"""
)
_WORK = (
    _HEAD
    + """
@mcp.tool
async def shut(ctx: Context) -> str:
    answer = await ctx.elicit("Shut it?", response_type=bool)
    async with asyncio.timeout(30):
        await anyio.sleep(1)
    return answer.action
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding a timeout."""
    for scope in view.replayed:
        for limit, around in timed(scope):
            text = (
                "this timeout counted the time that the user takes; on 2026-07-28 it bounds one round, "
                "and starts anew in each"
            )
            related = [("the ask", first_ask(scope, around))]
            yield view.finding(RULE, limit, text, scope=scope.scope, related=related)


RULE = Rule(
    code="MRTR308",
    name="timed-ask",
    level=Level.WARNING,
    summary="A timeout around an ask counted the user's time, and no longer does.",
    what="Finds asks inside `move_on_after`, `fail_after`, `asyncio.timeout`, `wait_for`, or with a timeout "
    "of their own.",
    why="The call ends when it asks, so the clock stops; it starts anew when the client calls again, however "
    "late. What was meant as `no answer in time is a no` never comes true.",
    example='```python\nwith anyio.move_on_after(30):\n    answer = await ctx.elicit("Shut it?", Confirm)\n```',
    remedy="Bound the flow, not the call: the expiry of the sealed state (`RequestStateSecurity(ttl=…)`), or "
    "the adapter's lifetime of a flow. Keep timeouts for your own work, below the ask.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_WORK,),
    invalid=(_MOVE_ON, _WAIT_FOR),
)
