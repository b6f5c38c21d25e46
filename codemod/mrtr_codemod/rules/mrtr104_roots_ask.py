"""MRTR104: the client's roots are listed in the middle of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.asks import report_asks
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_CONTEXT = """
from fastmcp import Context, FastMCP
mcp = FastMCP("desk")
@mcp.tool
async def folders(ctx: Context) -> list[str]:
    return [str(root.uri) for root in await ctx.list_roots()]
"""
_LOW_LEVEL = """
import mcp.server.lowlevel as lowlevel
server = lowlevel.Server("desk")
@server.call_tool()
async def call_tool(name: str, arguments: dict) -> list:
    listed = await server.request_context.session.list_roots()
    return [str(root.uri) for root in listed.roots]
"""
_OWN = """
from fastmcp import FastMCP
class Forest:
    def list_roots(self) -> list[str]:
        return []
forest = Forest()
mcp = FastMCP("trees")
@mcp.tool
def roots() -> list[str]:
    return forest.list_roots()
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    return report_asks(RULE, view, AskKind.ROOTS, "asks for the client's roots")


RULE = Rule(
    code="MRTR104",
    name="roots-ask",
    level=Level.WARNING,
    summary="The client's roots are listed in the middle of a call.",
    what="Finds calls that push `roots/list` to the client: `session.list_roots`, FastMCP's "
    "`ctx.list_roots`, "
    "`session.send_request(ListRootsRequest…)`.",
    why="Protocol 2026-07-28 has no requests from server to client. Roots themselves are deprecated in this "
    "revision.",
    example="```python\nlisted = await ctx.session.list_roots()\n```",
    remedy="Better take the folder as a tool argument or from the server's configuration. During the "
    "deprecation window, "
    "the roots request may ride in an `InputRequiredResult` (`mrtr rewrite`), or the adapter may run the "
    "handler as it is.",
    reference=SPEC + "client/roots",
    check=check,
    valid=(_OWN,),
    invalid=(_CONTEXT, _LOW_LEVEL),
)
