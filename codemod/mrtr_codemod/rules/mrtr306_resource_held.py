"""MRTR306: a lock, a transaction or an open resource is held across an ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.around import first_ask, items_around
from mrtr_codemod.analysis.calls import Key
from mrtr_codemod.analysis.held import held_by
from mrtr_codemod.analysis.locks import acquired_above
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView, ScopeView

_HEAD = """
import asyncio, contextlib, sqlite3
import anyio
from fastmcp import Context, FastMCP
mcp = FastMCP("plotter")
device = asyncio.Lock()
QUEUE: list[str] = []
"""
_LOCK = (
    _HEAD
    + """
@mcp.tool
async def plot(job: str, ctx: Context) -> str:
    async with device:
        answer = await ctx.elicit("Which paper?", response_type=str)
    return answer.action
"""
)
_OWN = (
    _HEAD
    + """
@contextlib.asynccontextmanager
async def claimed(job: str):
    QUEUE.append(job)
    yield job
    QUEUE.remove(job)
async def paper(ctx: Context) -> str:
    return (await ctx.elicit("Which paper?", response_type=str)).action
@mcp.tool
async def plot(job: str, ctx: Context) -> str:
    async with claimed(job):
        return await paper(ctx)
"""
)
_FILE = (
    _HEAD
    + """
@mcp.tool
async def note(path: str, ctx: Context) -> str:
    with open(path, "a") as out:
        answer = await ctx.elicit("What shall I note?", response_type=str)
        out.write(str(answer))
    return "noted"
"""
)
_DATABASE = (
    _HEAD
    + """
@mcp.tool
async def move(ctx: Context) -> str:
    with sqlite3.connect("stock.db") as connection:
        connection.execute("SELECT 1")
        return (await ctx.elicit("Where to?", response_type=str)).action
"""
)
_RELEASED = (
    _HEAD
    + """
@mcp.tool
async def plot(job: str, ctx: Context) -> str:
    answer = await ctx.elicit("Which paper?", response_type=str)
    async with device:
        return answer.action
"""
)
_GROUP = (
    _HEAD
    + """
@mcp.tool
async def plot(job: str, ctx: Context) -> str:
    with contextlib.suppress(ValueError):
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep, 0)
            return (await ctx.elicit("Which paper?", response_type=str)).action
    return "none"
"""
)


_ACQUIRED = (
    _HEAD
    + """
@mcp.tool
async def plot(job: str, ctx: Context) -> str:
    await device.acquire()
    try:
        answer = await ctx.elicit("Which paper?", response_type=str)
    finally:
        device.release()
    return answer.action
"""
)
_RELEASED_BY_HAND = (
    _HEAD
    + """
@mcp.tool
async def plot(job: str, ctx: Context) -> str:
    if device.locked():
        return (await ctx.elicit("Wait for it?", response_type=bool)).action
    await device.acquire()
    try:
        QUEUE.append(job)
    finally:
        device.release()
    return (await ctx.elicit("Which paper?", response_type=str)).action
"""
)
_NOT_ACQUIRED = (
    _HEAD
    + """
import threading
tray = threading.Lock()
@mcp.tool
async def plot(job: str, ctx: Context) -> str:
    if not tray.acquire(blocking=False):
        return (await ctx.elicit("The tray is in use. Try again later?", response_type=bool)).action
    tray.release()
    return "plotted"
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding a `with` item, and one a call that acquires something."""
    for scope in view.replayed:
        yield from _acquired(view, scope)
        for item, node in items_around(scope):
            held = held_by(scope, item)
            if held:
                text = f"{held} is held by this `with` while the user is asked: it will be let go when the round ends"
                ask = first_ask(scope, node)
                yield view.finding(
                    RULE, item.context_expr, text, scope=scope.scope, related=[("the ask", ask)]
                )


def _acquired(view: FileView, scope: ScopeView) -> Iterator[Finding]:
    seen: set[Key] = set()
    for ask, state in sorted(acquired_above(scope).items()):
        for acquired in sorted(state):
            if acquired.key not in seen:
                seen.add(acquired.key)
                text = f"{acquired.what} is held while the user is asked: it has to be let go when the round ends"
                yield view.finding(RULE, acquired.key, text, scope=scope.scope, related=[("the ask", ask)])


RULE = Rule(
    code="MRTR306",
    name="resource-held",
    level=Level.WARNING,
    summary="A lock, a transaction or an open resource is held across an ask.",
    what="Finds asks in the body of a `with` that holds a lock, a file, a database or network connection, or "
    "an object of the repo whose entry does something, and asks on a path from `acquire()` to `release()`.",
    why="The call ends when it asks, and the client need never call again: what is held is let go at the end "
    "of the round and taken anew in the next one. Nothing is protected while the user thinks, and what was in "
    "progress is rolled back.",
    example='```python\nasync with device:\n    answer = await ctx.elicit("Which paper?", Paper)\n```',
    remedy="Ask first and take the resource afterwards. Where something must stay reserved while the user "
    "thinks, reserve it in durable storage with an expiry, and carry its identifier in the state.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_RELEASED, _GROUP, _RELEASED_BY_HAND, _NOT_ACQUIRED),
    invalid=(_LOCK, _OWN, _FILE, _DATABASE, _ACQUIRED),
)
