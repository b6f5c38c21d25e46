"""MRTR102: the user is sent to a URL in the middle of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.asks import report_asks
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_CONTEXT = """
from mcp.server.mcpserver import Context, MCPServer
mcp = MCPServer("calendar")
@mcp.tool()
async def link(provider: str, ctx: Context) -> str:
    answer = await ctx.elicit_url(f"Sign in to {provider}", "https://calendar.example/connect", elicitation_id="1")
    return answer.action
"""
_FUNCTION = """
from mcp.server.elicitation import elicit_url
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("calendar")
@mcp.tool()
async def link(ctx: Context) -> str:
    result = await elicit_url(ctx.session, "Sign in", "https://calendar.example/connect", "1")
    return result.action
"""
_OTHER = """
import mcp
def elicit_url(page: str) -> str:
    return page
link = elicit_url("https://calendar.example")
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    return report_asks(RULE, view, AskKind.URL, "sends the user to a URL")


RULE = Rule(
    code="MRTR102",
    name="url-ask",
    level=Level.WARNING,
    summary="The user is sent to a URL in the middle of a call.",
    what="Finds calls that push `elicitation/create` in URL mode to the client and wait until the user has "
    "agreed to open "
    "the page: `ctx.elicit_url`, `session.elicit_url`, `session.send_request` with `ElicitRequestURLParams`.",
    why="Protocol 2026-07-28 has no requests from server to client, and neither `elicitationId` nor the "
    "notification that "
    "says the page is done with. What the handler keeps in memory for the page is gone when the client "
    "calls again.",
    example='```python\nanswer = await ctx.elicit_url("Sign in", url, elicitation_id=link_id)\n```',
    remedy="Put the URL request into an `InputRequiredResult`; keep your own identifier in the sealed "
    "`requestState`, and "
    "look up the outcome when the client calls again. Accept means that the user agreed to open the page, "
    "no more.",
    reference=SPEC + "client/elicitation",
    check=check,
    valid=(_OTHER,),
    invalid=(_CONTEXT, _FUNCTION),
)
