"""MRTR302: a question that is different each time it is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.question import RECORDED, Questions
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_HEAD = """
import itertools, secrets, time, uuid
from datetime import datetime
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel
mcp = MCPServer("doors")
numbers = itertools.count()
class Agree(BaseModel):
    agree: bool
"""
_TIME = (
    _HEAD
    + """
@mcp.tool()
async def unlock(door: str, ctx: Context) -> str:
    at = datetime.now().isoformat()
    return (await ctx.elicit(f"{at}: unlock {door}?", Agree)).action
"""
)
_CODE = (
    _HEAD
    + """
def new_code() -> str:
    return f"{secrets.randbelow(10**6):06d}"
async def typed_back(ctx: Context, code: str) -> bool:
    answer = await ctx.elicit(f"Type {code}", Agree)
    return answer.action == "accept"
@mcp.tool()
async def reset(ctx: Context) -> str:
    code = new_code()
    return "reset" if await typed_back(ctx, code) else "not reset"
"""
)
_COUNTER = (
    _HEAD
    + """
@mcp.tool()
async def ticket(ctx: Context) -> str:
    number = next(numbers)
    return (await ctx.elicit(f"Open ticket {number}?", Agree)).action
"""
)
_URL = (
    _HEAD
    + """
@mcp.tool()
async def link(ctx: Context) -> str:
    state = uuid.uuid4().hex
    return (await ctx.elicit_url("Sign in", f"https://login.example/?state={state}", "1")).action
"""
)
_STABLE = (
    _HEAD
    + """
@mcp.tool()
async def unlock(door: str, ctx: Context) -> str:
    started = time.monotonic()
    answer = await ctx.elicit(f"Unlock {door}?", Agree)
    second = await ctx.elicit(f"You said {answer.action}. Sure?", Agree)
    return f"{second.action} after {time.monotonic() - started}"
"""
)
_ID = (
    _HEAD
    + """
@mcp.tool()
async def link(ctx: Context) -> str:
    request = str(uuid.uuid4())
    return (await ctx.elicit_url("Sign in", "https://login.example/", elicitation_id=request)).action
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    questions = Questions(view.analysis)
    for scope in view.replayed:
        for node in scope.nodes():
            if not isinstance(node, ast.Call) or not scope.asks_at(node):
                continue
            found = questions.volatile(scope, node)
            if found is None:
                continue
            pinned = RECORDED in found.source
            text = f"the question holds {found.source}, which is another in every round" + (
                "; the adapter records it, a rewrite carries it in the state" if pinned else ""
            )
            level = Level.INFO if pinned else None
            related = [("comes from here", found.key)]
            yield view.finding(RULE, node, text, level=level, scope=scope.scope, related=related)


RULE = Rule(
    code="MRTR302",
    name="volatile-question",
    level=Level.WARNING,
    summary="A question holds something that is different each time it is asked.",
    what="Finds the time, random values, uuids, one-time codes, counters and the request's id in the text, "
    "the URL or the schema of a question; also through locals, helpers and arguments. What comes from an "
    "answer is fine.",
    why="An answer belongs to the question that was shown. When the handler runs again and asks something "
    "else, the answer no longer fits: the user is asked for ever, or is told that the code they typed is wrong.",
    example='```python\ncode = new_code()\ntyped = await ctx.elicit(f"Type {code} to reset.", TypedCode)\n```',
    remedy="Leave the volatile part out of the question, or make it once: `memo(name, fn)` under the adapter, "
    "the state of the step after `mrtr rewrite`. A one-time code is a secret: keep it on the server, and a "
    "handle in the state.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_STABLE, _ID),
    invalid=(_TIME, _CODE, _COUNTER, _URL),
)
