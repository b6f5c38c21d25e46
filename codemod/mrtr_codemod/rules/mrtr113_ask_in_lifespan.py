"""MRTR113: an ask while the server starts or stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.entries import EntryFact
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule
from mrtr_codemod.rules.out_of_round import report_asks_of

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_LIFESPAN = """
from contextlib import asynccontextmanager
from mcp.server.fastmcp import Context, FastMCP
async def folders(ctx: Context):
    return await ctx.session.list_roots()
@asynccontextmanager
async def lifespan(server: FastMCP):
    yield await folders(server.get_context())
mcp = FastMCP("files", lifespan=lifespan)
"""
_STARTS = """
from contextlib import asynccontextmanager
from mcp.server.fastmcp import Context, FastMCP
@asynccontextmanager
async def lifespan(server: FastMCP):
    yield {"folders": []}
mcp = FastMCP("files", lifespan=lifespan)
@mcp.tool()
async def folders(ctx: Context) -> str:
    return str(await ctx.session.list_roots())
"""


def _concerns(entry: EntryFact) -> bool:
    return entry.method == "lifespan"


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask, or a call that leads to one."""
    return report_asks_of(RULE, view, _concerns, "a lifespan")


RULE = Rule(
    code="MRTR113",
    name="ask-in-lifespan",
    level=Level.ERROR,
    summary="An ask while the server starts or stops.",
    what="Finds asks in the `lifespan` of a server, also through helpers.",
    why="Nobody has called yet: there is no result that could carry a question, and no client to call again.",
    example="```python\n@asynccontextmanager\nasync def lifespan(server):\n"
    "    yield await server.get_context().session.list_roots()\n```",
    remedy="Ask in the first tool call that needs the answer, and keep the answer where all instances find it.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_STARTS,),
    invalid=(_LIFESPAN,),
)
