"""MRTR117: an ask in a resource without parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.entries import EntryFact
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule
from mrtr_codemod.rules.out_of_round import report_asks_of

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_STATIC = """
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("letters")
@mcp.resource("letters://all")
async def letters() -> str:
    return (await mcp.get_context().elicit("PIN?", schema=dict)).action
"""
_TEMPLATE = """
from mcp.server.mcpserver import Context, MCPServer
mcp = MCPServer("letters")
@mcp.resource("letters://{year}")
async def letters(year: str, ctx: Context) -> str:
    return (await ctx.elicit("PIN?", dict)).action
"""
_FASTMCP = """
from fastmcp import Context, FastMCP
mcp = FastMCP("letters")
@mcp.resource("letters://all")
async def letters(ctx: Context) -> str:
    return (await ctx.elicit("PIN?", response_type=str)).action
"""


def _concerns(entry: EntryFact) -> bool:
    return entry.static and entry.framework == "mcp"


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask, or a call that leads to one."""
    return report_asks_of(RULE, view, _concerns, "a static resource")


RULE = Rule(
    code="MRTR117",
    name="ask-in-static-resource",
    level=Level.ERROR,
    summary="An ask in a static resource of an `mcp` server.",
    what="Finds asks in resources whose URI has no parameters, on servers of the `mcp` package.",
    why="`MCPServer` gives a static resource no context, and does not let it return an `InputRequiredResult`: "
    "there is no way to ask from it. FastMCP's resources and resource templates can.",
    example='```python\n@mcp.resource("letters://all")\nasync def letters() -> str:\n'
    '    answer = await mcp.get_context().elicit("PIN?", Pin)\n```',
    remedy="Give the URI a parameter, which makes it a template with a context, or make it a tool.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_TEMPLATE, _FASTMCP),
    invalid=(_STATIC,),
)
