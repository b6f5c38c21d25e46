"""MRTR403: an answer is taken for acceptance."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.answers import Answers, Use
from mrtr_codemod.analysis.asks import Spelling
from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_HEAD = """
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from pydantic import BaseModel
mcp = FastMCP("files")
class Confirm(BaseModel):
    ok: bool
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
"""
_IGNORED = (
    _HEAD
    + """
    await ctx.elicit(f"Delete {name}?", Confirm)
    return "gone"
"""
)
_UNUSED = (
    _HEAD
    + """
    answer = await ctx.elicit(f"Delete {name}?", Confirm)
    if answer:
        return "gone"
    return "kept"
"""
)
_ASSUMED = (
    _HEAD
    + """
    answer = await ctx.elicit(f"Delete {name}?", Confirm)
    return "gone" if answer.data.ok else "kept"
"""
)
_INLINE = (
    _HEAD
    + """
    return "gone" if (await ctx.elicit(f"Delete {name}?", Confirm)).data.ok else "kept"
"""
)
_ONLY_DECLINE = (
    _HEAD
    + """
    answer = await ctx.elicit(f"Delete {name}?", Confirm)
    if answer.action == "decline":
        return "kept"
    return "gone"
"""
)
_ONLY_CLASS = (
    _HEAD
    + """
    answer = await ctx.elicit(f"Delete {name}?", Confirm)
    match answer:
        case DeclinedElicitation():
            return "kept"
    return "gone"
"""
)
_CHECKED = (
    _HEAD
    + """
    answer = await ctx.elicit(f"Delete {name}?", Confirm)
    if answer.action == "accept" and answer.data.ok:
        return "gone"
    return "kept"
"""
)
_BOTH = (
    _HEAD
    + """
    answer = await ctx.elicit(f"Delete {name}?", Confirm)
    if answer.action in ("decline", "cancel"):
        return "kept"
    if (second := await ctx.elicit("Really?", Confirm)).action != "accept":
        return "kept"
    return "gone"
"""
)
_MATCHED = (
    _HEAD
    + """
    match await ctx.elicit(f"Delete {name}?", Confirm):
        case AcceptedElicitation(data=data) if data.ok:
            return "gone"
    answer = await ctx.elicit("Really?", Confirm)
    if isinstance(answer, (DeclinedElicitation, CancelledElicitation)):
        return "kept"
    return "gone"
"""
)
_HANDED_ON = """
from mcp.server.lowlevel import Server
server = Server("files")
def verdict(answer): ...
@server.call_tool()
async def call_tool(name, arguments):
    session = server.request_context.session
    first = await session.elicit(message="Delete?", requestedSchema={"type": "object", "properties": {}})
    second = await session.elicit(message="Really?", requestedSchema={"type": "object", "properties": {}})
    if not (second.content or {}).get("ok"):
        return []
    return verdict(first)
"""

_SAID = {
    Use.IGNORED: "the answer is not looked at: what follows happens after decline and cancel as well",
    Use.ASSUMED: "the answer's data is used whatever its action is: decline and cancel have none",
    Use.ONLY_DECLINE: "decline is handled, but cancel is taken for acceptance",
    Use.ONLY_CANCEL: "cancel is handled, but decline is taken for acceptance",
}


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    for scope in view.asking:
        answers: Answers | None = None
        for node in scope.nodes():
            fact = scope.ask_at(node)
            if not isinstance(node, ast.Call) or fact is None or fact.kind not in (AskKind.FORM, AskKind.URL):
                continue
            if fact.spelling in (Spelling.CALL, Spelling.RUNNER):
                answers = answers or Answers(scope)
                use = answers.use(node)
                if use is not Use.CHECKED:
                    yield view.finding(RULE, node, _SAID[use], scope=scope.scope)


RULE = Rule(
    code="MRTR403",
    name="accept-assumed",
    level=Level.WARNING,
    summary="An answer is taken for acceptance: decline and cancel are not handled.",
    what="Finds asks whose answer is thrown away, whose data is read without a look at the action, or of "
    "which only one of "
    "decline and cancel is handled. An answer that is handed on or returned is left alone.",
    why="The user may accept, decline or cancel, and a client may cancel by itself. A handler that does not "
    "look goes on "
    "with what the user has refused, or breaks on an answer without data.",
    example='```python\nawait ctx.elicit("Delete it?", Confirm)\nos.remove(path)\n```',
    remedy='Go on only if `answer.action == "accept"` and the data says yes; return a plain result for '
    "decline and for "
    "cancel, which are no errors.",
    reference=SPEC + "client/elicitation",
    check=check,
    valid=(_CHECKED, _BOTH, _MATCHED, _HANDED_ON),
    invalid=(_IGNORED, _UNUSED, _ASSUMED, _INLINE, _ONLY_DECLINE, _ONLY_CLASS),
)
