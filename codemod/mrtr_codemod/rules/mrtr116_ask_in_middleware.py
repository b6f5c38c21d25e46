"""MRTR116: an ask in a middleware."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.entries import EntryFact
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule
from mrtr_codemod.rules.out_of_round import report_asks_of

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_CLASS = """
from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware, MiddlewareContext
class Gate(Middleware):
    async def on_call_tool(self, context: MiddlewareContext, call_next):
        answer = await context.fastmcp_context.elicit("Really?", response_type=bool)
        return await call_next(context) if answer.action == "accept" else None
mcp = FastMCP("files")
mcp.add_middleware(Gate())
"""
_FUNCTION = """
from mcp.server.mcpserver import MCPServer
async def gate(ctx, call_next):
    await ctx.session.elicit_form("Really?", {})
    return await call_next(ctx)
mcp = MCPServer("files", middleware=[gate])
"""
_LOGS = """
from fastmcp import Context, FastMCP
from fastmcp.server.middleware import Middleware, MiddlewareContext
class Log(Middleware):
    async def on_call_tool(self, context: MiddlewareContext, call_next):
        return await call_next(context)
mcp = FastMCP("files", middleware=[Log()])
@mcp.tool
async def delete(ctx: Context) -> str:
    return (await ctx.elicit("Really?", response_type=bool)).action
"""


def _concerns(entry: EntryFact) -> bool:
    return entry.method == "middleware"


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask, or a call that leads to one."""
    return report_asks_of(RULE, view, _concerns, "a middleware")


RULE = Rule(
    code="MRTR116",
    name="ask-in-middleware",
    level=Level.ERROR,
    summary="An ask in a middleware.",
    what="Finds asks in FastMCP `Middleware` classes and in the middleware of an `MCPServer` or low-level server.",
    why="A middleware sees every method, most of which cannot end with a question; and one that asks around a "
    "handler which asks as well would mix up the answers of both. The adapter runs handlers again, not middleware.",
    example="```python\nasync def on_call_tool(self, context, call_next):\n"
    '    answer = await context.fastmcp_context.elicit("Really?", response_type=bool)\n```',
    remedy="Ask in the tools that need it, through a helper that they share; or return an "
    "`InputRequiredResult` from the middleware yourself, for `tools/call` only, with keys and state of its own.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_LOGS,),
    invalid=(_CLASS, _FUNCTION),
)
