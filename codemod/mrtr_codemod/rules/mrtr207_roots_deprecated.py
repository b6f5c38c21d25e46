"""MRTR207: roots are deprecated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule
from mrtr_codemod.rules.deprecated import uses

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_ASK = """
from fastmcp import Context, FastMCP
mcp = FastMCP("desk")
@mcp.tool
async def folders(ctx: Context) -> list[str]:
    return [str(root.uri) for root in await ctx.list_roots()]
"""
_REQUEST = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult, ListRootsRequest
mcp = MCPServer("desk")
@mcp.tool()
async def folders(ctx: Context) -> str | InputRequiredResult:
    if not ctx.input_responses:
        return InputRequiredResult(input_requests={"roots": ListRootsRequest()})
    return "done"
"""
_MARKER = """
from mcp.server.mcpserver import ListRoots
def folders() -> ListRoots:
    return ListRoots()
"""
_CLIENT = """
from mcp import ClientSession
from mcp.types import ListRootsResult
async def list_roots(context) -> ListRootsResult:
    return ListRootsResult(roots=[])
def connect(read, write) -> ClientSession:
    return ClientSession(read, write, list_roots_callback=list_roots)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each use."""
    for key in uses(view, AskKind.ROOTS, "ListRootsRequest", "ListRoots"):
        yield view.finding(
            RULE,
            key,
            "roots are deprecated in 2026-07-28; take the folder as an argument or from configuration",
        )


RULE = Rule(
    code="MRTR207",
    name="roots-deprecated",
    level=Level.INFO,
    summary="Roots are deprecated.",
    what="Points out where the client's roots are listed: by `list_roots`, and also by a roots request in an "
    "`InputRequiredResult` or a resolver's `ListRoots`.",
    why="Roots still work inside an `InputRequiredResult`, but the revision deprecates them: clients that "
    "never had them "
    "will not add them, and a later revision may remove them.",
    example="```python\nroots = await ctx.list_roots()\n```",
    remedy="Existing servers may migrate them during the deprecation window. New code takes a folder as a "
    "tool argument, "
    "as a resource URI, or from the server's configuration.",
    reference=SPEC + "client/roots",
    check=check,
    words=("list_roots", "ListRoots"),
    valid=(_CLIENT,),
    invalid=(_ASK, _REQUEST, _MARKER),
)
