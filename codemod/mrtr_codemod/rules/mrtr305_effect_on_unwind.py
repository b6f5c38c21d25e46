"""MRTR305: ending a round runs the handler's clean-up, which does something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.around import first_ask, tries_around
from mrtr_codemod.analysis.calls import Key, own_nodes
from mrtr_codemod.analysis.walk import caught_names
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView, ScopeView

_HEAD = """
import asyncio
from fastmcp import Context, FastMCP
mcp = FastMCP("exporter")
AUDIT: list[str] = []
def audit(outcome: str) -> None:
    AUDIT.append(outcome)
"""
_FINALLY = (
    _HEAD
    + """
@mcp.tool
async def export(ctx: Context) -> str:
    outcome = "failed"
    try:
        outcome = (await ctx.elicit("Purpose?", response_type=str)).action
        return outcome
    finally:
        audit(outcome)
"""
)
_CANCELLED = (
    _HEAD
    + """
@mcp.tool
async def export(ctx: Context) -> str:
    try:
        return (await ctx.elicit("Purpose?", response_type=str)).action
    except asyncio.CancelledError:
        audit("cancelled")
        raise
"""
)
_LOCAL = (
    _HEAD
    + """
@mcp.tool
async def export(ctx: Context) -> str:
    lines = []
    try:
        answer = await ctx.elicit("Purpose?", response_type=str)
    except Exception:
        audit("could not ask")
        return "failed"
    finally:
        lines.append("asked")
    audit(answer.action)
    return answer.action
"""
)
_UNWINDING = frozenset({"BaseException", "CancelledError", "get_cancelled_exc_class"})


def check(view: FileView) -> Iterator[Finding]:
    """One finding an effect."""
    for scope in view.replayed:
        for node in tries_around(scope):
            ask = first_ask(scope, *node.body)
            yield from _effects(view, scope, node.finalbody, "`finally`", ask)
            for handler in node.handlers:
                names = caught_names(handler)
                if not names or _UNWINDING & set(names):
                    caught = f"`except {names[0]}`" if names else "a bare `except`"
                    yield from _effects(view, scope, handler.body, caught, ask)


def _effects(
    view: FileView, scope: ScopeView, body: list[ast.stmt], where: str, ask: Key
) -> Iterator[Finding]:
    for node in own_nodes(ast.Module(body, [])):
        effect = view.analysis.effects.of(node, scope.scope)
        if effect is not None:
            text = f"`{effect.what}` in {where} runs whenever a round ends at the ask on line {ask[0]}"
            yield view.finding(RULE, node, text, scope=scope.scope, related=[("the ask", ask)])


RULE = Rule(
    code="MRTR305",
    name="effect-on-unwind",
    level=Level.WARNING,
    summary="An effect in `finally` or `except CancelledError` around an ask runs at the end of every round.",
    what="Finds effects in the `finally` of a `try` with an ask in it, and in an `except` that catches the "
    "cancellation of the call (`CancelledError`, `BaseException`, a bare one).",
    why="The call ends when it asks. Whoever ends it by cancelling the handler, or by an exception, runs its "
    "clean-up: an audit line says `failed` once per question, a reservation is given back while the user "
    "still thinks.",
    example='```python\ntry:\n    answer = await ctx.elicit("Purpose?", Purpose)\nfinally:\n    audit(outcome)\n```',
    remedy="Do it on the paths that have an outcome, below the last ask. Under the adapter, `on_commit(fn)` "
    "runs once, when the whole flow is done.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_LOCAL,),
    invalid=(_FINALLY, _CANCELLED),
)
