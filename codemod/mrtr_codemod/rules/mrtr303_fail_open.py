"""MRTR303: what the user was asked about happens although they could not be asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.outcomes.consent import Consent, FailOpen
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_HEAD = """
import logging, os
from contextlib import suppress
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel
log = logging.getLogger("files")
mcp = MCPServer("files")
class Sure(BaseModel):
    sure: bool
"""
_FLAG = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    confirmed = True
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
        confirmed = answer.action == "accept" and answer.data.sure
    except Exception as error:
        log.warning("could not ask: %s", error)
    if not confirmed:
        return "kept"
    os.remove(name)
    return "gone"
"""
)
_PASS = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
        if answer.action != "accept":
            return "kept"
    except MCPError:
        pass
    os.remove(name)
    return "gone"
"""
)
_HELPER = (
    _HEAD
    + """
async def confirmed(ctx: Context, question: str) -> bool:
    try:
        answer = await ctx.elicit(question, Sure)
        return answer.action == "accept"
    except Exception:
        return True
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    if not await confirmed(ctx, f"Delete {name}?"):
        return "kept"
    os.remove(name)
    return "gone"
"""
)
_SUPPRESS = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    with suppress(Exception):
        answer = await ctx.elicit(f"Delete {name}?", Sure)
        if answer.action != "accept":
            return "kept"
    os.remove(name)
    return "gone"
"""
)
_NONE = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    answer = None
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
    except Exception:
        log.info("client without forms")
    if answer is None or answer.action == "accept":
        os.remove(name)
        return "gone"
    return "kept"
"""
)
_OVERRULED = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
        if answer.action != "accept":
            raise ValueError("refused")
    except Exception as error:
        log.warning("%s", error)
    os.remove(name)
    return "gone"
"""
)
_CLOSED = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    confirmed = True
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
        confirmed = answer.action == "accept"
    except Exception as error:
        log.warning("could not ask: %s", error)
        confirmed = False
    if not confirmed:
        return "kept"
    os.remove(name)
    return "gone"
"""
)
_RETURNS = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
    except Exception:
        return "could not ask, so nothing was deleted"
    if answer.action != "accept":
        return "kept"
    os.remove(name)
    return "gone"
"""
)
_ELSE = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    outcome = "kept"
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
    except Exception:
        outcome = "could not ask"
    else:
        if answer.action == "accept":
            os.remove(name)
            outcome = "gone"
    finally:
        log.info("asked about %s", name)
    return outcome
"""
)
_WHOLE = (
    _HEAD
    + """
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    try:
        answer = await ctx.elicit(f"Delete {name}?", Sure)
        if answer.action != "accept":
            return "kept"
        os.remove(name)
        return "gone"
    except Exception as error:
        return f"could not delete: {error}"
"""
)
_FALSE = (
    _HEAD
    + """
async def confirmed(ctx: Context, question: str) -> bool:
    try:
        return (await ctx.elicit(question, Sure)).action == "accept"
    except Exception:
        return False
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    if await confirmed(ctx, f"Delete {name}?"):
        os.remove(name)
    return "done"
"""
)
_FALLBACK = (
    _HEAD
    + """
@mcp.tool()
async def summarise(text: str, ctx: Context) -> str:
    try:
        reply = await ctx.session.create_message([], max_tokens=9)
    except MCPError:
        return text[:80]
    return reply.content.text
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding an `except`, `suppress` or timeout that lets the act through."""
    consent = Consent(view.analysis)
    for scope in view.replayed:
        for way in consent.ways_past(scope):
            related = [("the ask", way.ask), *([("happens all the same", way.act)] if way.act else [])]
            level = Level.WARNING if way.hedged else None
            yield view.finding(
                RULE, way.swallowed_at, _text(way), level=level, scope=scope.scope, related=related
            )


def _text(way: FailOpen) -> str:
    act = f"what line {way.act[0]} does" if way.act else "the yes that it returns"
    if way.overruled:
        return f"the refusal of the ask on line {way.ask[0]} ends here, and {act} happens all the same"
    if way.swallowed_at == way.ask:
        return f"the helper that is called here takes a failed ask for a yes, and {act} happens without an answer"
    condition = " under a condition" if way.hedged else ""
    return f"when the ask on line {way.ask[0]} fails it ends here, and {act} happens{condition} without an answer"


RULE = Rule(
    code="MRTR303",
    name="fail-open",
    level=Level.ERROR,
    summary="What the user was asked about happens although they could not be asked.",
    what="Finds an `except`, a `suppress` or a timeout around an ask after which the guarded act happens: the "
    "same act that a declined or cancelled answer prevents. Flags set before, `else`, `finally`, and helpers "
    "that return a yes, or do so where the call passes `auto=True`, are followed. An `except` that returns, "
    "raises or sets the refusing value is fine.",
    why="On 2026-07-28 every ask of old code fails. A handler that goes on then acts on nobody's word: it "
    "deletes, pays and publishes without confirmation, for every user, from the day the SDK is updated.",
    example='```python\ntry:\n    answer = await ctx.elicit("Delete?", Sure)\n    if answer.action != "accept":\n'
    '        return "kept"\nexcept Exception:\n    log.warning("could not ask")\nos.remove(name)\n```',
    remedy="Refuse when the user cannot be asked: return or raise in the `except`, or set the value that a "
    "refusal sets. `mrtr rewrite` makes it so, and the adapter never lets a question that was not answered "
    "count as a yes.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_CLOSED, _RETURNS, _ELSE, _WHOLE, _FALSE, _FALLBACK),
    invalid=(_FLAG, _PASS, _HELPER, _SUPPRESS, _NONE, _OVERRULED),
)
