"""MRTR115: an ask in a task that outlives the call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.background import detached
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_HEAD = """
import asyncio
from fastmcp import Context, FastMCP
mcp = FastMCP("jobs")
async def watch(ctx: Context) -> None:
    await asyncio.sleep(60)
    await ctx.elicit("Still there?", response_type=bool)
"""
_DROPPED = (
    _HEAD
    + """
@mcp.tool
async def start(ctx: Context) -> str:
    asyncio.create_task(watch(ctx))
    return "started"
"""
)
_KEPT = (
    _HEAD
    + """
TASKS = set()
@mcp.tool
async def start(ctx: Context) -> str:
    task = asyncio.ensure_future(ctx.elicit("Still there?", response_type=bool))
    TASKS.add(task)
    return "started"
"""
)
_AWAITED = (
    _HEAD
    + """
@mcp.tool
async def start(ctx: Context) -> str:
    task = asyncio.create_task(watch(ctx))
    await asyncio.sleep(1)
    await task
    async with asyncio.TaskGroup() as group:
        group.create_task(watch(ctx))
    return "done"
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding a task."""
    for scope in view.asking:
        for node in scope.nodes():
            if isinstance(node, ast.Call) and detached(scope, node):
                text = (
                    "this task asks and may outlive the call: when the call has ended there is nobody to ask"
                )
                yield view.finding(RULE, node, text, scope=scope.scope)


RULE = Rule(
    code="MRTR115",
    name="ask-in-background",
    level=Level.ERROR,
    summary="An ask in a task that the call does not wait for.",
    what="Finds asks in tasks that are started with `asyncio.create_task`, `ensure_future`, "
    "`BackgroundTasks.add_task`, or in a task group that the handler did not open itself, and that the "
    "function never awaits.",
    why="A question is carried by the result of the call that it belongs to. A task that goes on after that "
    "result has none.",
    example='```python\nasyncio.create_task(watch(ctx))\nreturn "started"\n```',
    remedy="Ask before the task is started, and give it the answers; or let the task end with something that "
    "a later tool call asks about.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_AWAITED,),
    invalid=(_DROPPED, _KEPT),
)
