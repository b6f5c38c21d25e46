"""MRTR309: a loop may ask more often than clients go along with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.around import first_ask
from mrtr_codemod.analysis.calls import Key
from mrtr_codemod.analysis.rounds import RoundCounter
from mrtr_codemod.analysis.walk import Loop
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

CLIENT_ROUNDS = 10
"""Rounds after which the clients of the official SDKs give up."""

_HEAD = """
from fastmcp import Context, FastMCP
mcp = FastMCP("accounts")
TRIES = 3
"""
_ENDLESS = (
    _HEAD
    + """
@mcp.tool
async def choose(ctx: Context) -> str:
    while True:
        answer = await ctx.elicit("Which name?", response_type=str)
        if answer.action != "accept" or answer.data.isalpha():
            return answer.action
"""
)
_LIST = (
    _HEAD
    + """
async def agreed(ctx: Context, item: str) -> bool:
    return (await ctx.elicit(f"Delete {item}?", response_type=bool)).action == "accept"
@mcp.tool
async def clean(items: list[str], ctx: Context) -> int:
    return len([item for item in items if await agreed(ctx, item)])
"""
)
_MANY = (
    _HEAD
    + """
@mcp.tool
async def quiz(ctx: Context) -> int:
    right = 0
    for n in range(20):
        right += (await ctx.elicit(f"{n} * {n}?", response_type=int)).data == n * n
    return right
"""
)
_BOUNDED = (
    _HEAD
    + """
@mcp.tool
async def choose(ctx: Context) -> str:
    attempts = 0
    while attempts < TRIES:
        attempts += 1
        answer = await ctx.elicit(f"Which name? ({attempts})", response_type=str)
        if answer.action != "accept" or answer.data.isalpha():
            return answer.action
    for colour in ("red", "blue"):
        await ctx.elicit(f"{colour}?", response_type=bool)
    return "none"
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding a loop or comprehension."""
    for scope in view.replayed:
        counter = RoundCounter(scope, lambda _: 1)
        seen: set[Key] = set()
        for node in scope.nodes():
            if isinstance(node, Loop):
                if not any(scope.asks_in(statement) for statement in node.body):
                    continue
                bound = counter.loop_bound(node)
            else:
                bound = math.inf if counter.asks_for_each(node) else 0
            if bound >= CLIENT_ROUNDS:
                times = "without a bound that can be told" if math.isinf(bound) else f"up to {bound:g} times"
                text = f"this loop asks {times}; clients give up after {CLIENT_ROUNDS} rounds of one call"
                ask = first_ask(scope, node)
                if ask in seen:
                    continue  # a loop around the loop says nothing new
                seen.add(ask)
                yield view.finding(RULE, ask, text, scope=scope.scope, related=[("the loop", node)])


RULE = Rule(
    code="MRTR309",
    name="unbounded-asks",
    level=Level.WARNING,
    summary="A loop may ask more often than clients go along with.",
    what="Finds asks in loops and comprehensions that run ten times or more, or as often as the data has it.",
    why="Each question is a round trip of the whole call. The clients of the official SDKs stop after ten; "
    "the state grows with each answer, and a replayed handler runs its first rounds again and again.",
    example='```python\nfor item in items:\n    answer = await ctx.elicit(f"Delete {item}?", Confirm)\n```',
    remedy="Ask once for all: one form with a field for each, or a list to choose from; or ask them at the "
    "same time (`asyncio.gather`). Give a loop that asks again after a wrong answer a small number of attempts.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_BOUNDED,),
    invalid=(_ENDLESS, _LIST, _MANY),
)
