"""MRTR112: an ask while an argument is completed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.entries import EntryFact
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule
from mrtr_codemod.rules.out_of_round import report_asks_of

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_COMPLETION = """
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("files")
@mcp.completion()
async def complete(ref, argument, context):
    reply = await mcp.get_context().session.create_message([], max_tokens=9)
    return reply.content.text
"""
_PROMPT = """
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.completion()
async def complete(ref, argument, context):
    return None
@mcp.prompt()
async def letter(ctx: Context) -> str:
    return str(await ctx.session.list_roots())
"""


def _concerns(entry: EntryFact) -> bool:
    return entry.method.startswith("completion")


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask, or a call that leads to one."""
    return report_asks_of(RULE, view, _concerns, "a completion handler")


RULE = Rule(
    code="MRTR112",
    name="ask-in-completion",
    level=Level.ERROR,
    summary="An ask in a completion handler.",
    what="Finds asks in handlers of `completion/complete`, also through helpers.",
    why="A completion cannot end with an `InputRequiredResult`: on 2026-07-28 it has no way to ask. It is "
    "also called at each key press.",
    example="```python\n@mcp.completion()\nasync def complete(ref, argument, context):\n"
    "    reply = await mcp.get_context().session.create_message(messages, max_tokens=9)\n```",
    remedy="Complete from what the server knows, and ask when the prompt is got or the tool is called.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_PROMPT,),
    invalid=(_COMPLETION,),
)
