"""MRTR301: something happens before an ask, and happens again in every round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.happened import effects_above
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_HEAD = """
import os
import httpx
from fastmcp import Context, FastMCP
mcp = FastMCP("desk")
LOG: list[str] = []
"""
_FILE = (
    _HEAD
    + """
@mcp.tool
async def clean(path: str, ctx: Context) -> str:
    os.remove(path)
    answer = await ctx.elicit("Empty the bin too?", response_type=bool)
    return answer.action
"""
)
_HELPER = (
    _HEAD
    + """
async def hold(room: str) -> None:
    LOG.append(room)
@mcp.tool
async def book(room: str, ctx: Context) -> str:
    await hold(room)
    return (await ctx.elicit("Which day?", response_type=str)).action
"""
)
_LOOP = (
    _HEAD
    + """
@mcp.tool
async def run(commands: list[str], ctx: Context) -> str:
    for command in commands:
        answer = await ctx.elicit(f"Run {command}?", response_type=bool)
        if answer.action == "accept":
            LOG.append(command)
    return "done"
"""
)
_NETWORK = (
    _HEAD
    + """
async def agreed(ctx: Context) -> bool:
    return (await ctx.elicit("Really?", response_type=bool)).action == "accept"
@mcp.tool
async def order(ctx: Context) -> str:
    async with httpx.AsyncClient() as client:
        await client.post("https://shop.example/basket")
    return "ordered" if await agreed(ctx) else "not ordered"
"""
)
_AFTER = (
    _HEAD
    + """
@mcp.tool
async def clean(path: str, ctx: Context) -> str:
    await ctx.info("asking")
    answer = await ctx.elicit(f"Delete {path}?", response_type=bool)
    if answer.action != "accept":
        LOG.append("declined")
        return "kept"
    os.remove(path)
    return "gone"
"""
)
_REFUSED = (
    _HEAD
    + """
@mcp.tool
async def order(ctx: Context) -> str:
    size = await ctx.elicit("Which size?", response_type=str)
    if size.action != "accept":
        LOG.append("no size")
        return "nothing ordered"
    names = [size.data]
    names.append("tea")
    milk = await ctx.elicit("Milk?", response_type=bool)
    return f"{names} {milk.action}"
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding an effect, at the effect; the ask below it is related."""
    for scope in view.replayed:
        seen: set[tuple[int, int, int, int]] = set()
        for ask, state in sorted(effects_above(scope).items()):
            for place, effect in sorted(state, key=lambda entry: entry[0]):
                if place in seen or place == ask:
                    continue
                seen.add(place)
                cause = f": `{effect.cause}`" if effect.cause else ""
                what = f"`{effect.what}` ({effect.kind}{cause})"
                text = f"{what} may run before the ask on line {ask[0]}, and so again in every round"
                yield view.finding(RULE, place, text, scope=scope.scope, related=[("the ask", ask)])


RULE = Rule(
    code="MRTR301",
    name="effect-above-ask",
    level=Level.WARNING,
    summary="Something happens before an ask, and would happen again in every round.",
    what="Finds effects that may run before an ask on some path: files written, processes started, network "
    "and database calls that change something, mutating calls by their name, changes of globals and of "
    "long-lived objects; also inside helpers. In a loop, what follows an ask stands above the next one.",
    why="On 2026-07-28 a call ends when it asks, and the client calls again from the top. What stood above "
    "the ask runs once more in every round: two holds for one refund, a message sent three times.",
    example='```python\nhold = await place_hold(invoice)\nanswer = await ctx.elicit("How much?", Amount)\n```',
    remedy="Move the effect below the last ask. Where the question needs its result: `mrtr rewrite` carries "
    "the result in the sealed state; under the adapter, wrap it in `once(name, fn)` (or `memo` for a value).",
    reference=MRTR_SPEC,
    check=check,
    valid=(_AFTER, _REFUSED),
    invalid=(_FILE, _HELPER, _LOOP, _NETWORK),
)
