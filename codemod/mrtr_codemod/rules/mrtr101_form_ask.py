"""MRTR101: the user is asked by a form in the middle of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.asks import report_asks
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_ASKS = """
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel
mcp = FastMCP("files")
class Confirm(BaseModel):
    ok: bool
@mcp.tool()
async def delete(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"Delete {name}?", schema=Confirm)
    return answer.action
"""
_FASTMCP = """
from fastmcp import Context, FastMCP
mcp = FastMCP("tea")
@mcp.tool
async def order(ctx: Context) -> str:
    tea = await ctx.elicit("Which tea?", response_type=["sencha", "assam"])
    return tea.action
"""
_LOW_LEVEL = """
from mcp.server.lowlevel import Server
server = Server("sms")
@server.call_tool()
async def call_tool(name, arguments):
    session = server.request_context.session
    answer = await session.elicit(message="Send?", requestedSchema={"type": "object", "properties": {}})
    return []
"""
_HELPER = {
    "app/__init__.py": "",
    "app/confirm.py": """
async def agreed(ctx, question):
    return (await ctx.elicit(question, bool)).action == "accept"
""",
    "app/server.py": """
from fastmcp import Context, FastMCP
from .confirm import agreed as yes
mcp = FastMCP("files")
@mcp.tool
async def delete(name: str, ctx: Context) -> str:
    return "gone" if await yes(ctx, f"Delete {name}?") else "kept"
""",
}
_REQUEST = """
from mcp import types
from mcp.server.session import ServerSession
async def ask(session: ServerSession) -> None:
    request = types.ElicitRequest(params=types.ElicitRequestFormParams(message="Sure?", requestedSchema={}))
    await session.send_request(types.ServerRequest(request), types.ElicitResult)
"""
_REQUIREMENTS = '''
import mcp
class Workshop:
    async def elicit(self, topic: str) -> str:
        return topic
async def run(workshop: Workshop) -> str:
    """Calls ctx.elicit("…") in a docstring only."""
    return await workshop.elicit("needs")
'''
_CLIENT = """
from mcp import ClientSession
from mcp.shared.context import RequestContext
from mcp.types import ElicitRequestParams, ElicitResult
async def answer(context: RequestContext["ClientSession", None], params: ElicitRequestParams) -> ElicitResult:
    return ElicitResult(action="accept", content={})
async def main(session: ClientSession) -> None:
    await session.call_tool("delete", {"name": "x"})
"""
_MIGRATED = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
mcp = MCPServer("files")
@mcp.tool()
async def delete(name: str, ctx: Context) -> str | InputRequiredResult:
    if not ctx.input_responses:
        question = ElicitRequestFormParams(message="Sure?", requested_schema={"type": "object", "properties": {}})
        return InputRequiredResult(input_requests={"sure": ElicitRequest(params=question)})
    return "done"
"""
_BOTH_ERAS = """
from fastmcp import Context, FastMCP
from mcp.types import ElicitRequest, InputRequiredResult
mcp = FastMCP("files")
QUESTION: ElicitRequest
def asked() -> InputRequiredResult:
    return InputRequiredResult(input_requests={"sure": QUESTION})
@mcp.tool
async def delete(name: str, ctx: Context):
    if ctx.protocol_version >= "2026-07-28":
        if not ctx.input_responses:
            return asked()
        return "gone"
    answer = await ctx.elicit(f"Delete {name}?", response_type=bool)
    return answer.action
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    return report_asks(RULE, view, AskKind.FORM, "asks the user by a form")


RULE = Rule(
    code="MRTR101",
    name="form-ask",
    level=Level.WARNING,
    summary="The user is asked by a form in the middle of a call.",
    what="Finds calls that push `elicitation/create` in form mode to the client and wait for the answer: "
    "`ctx.elicit`, "
    "`session.elicit`, `session.elicit_form`, `session.send_request(ElicitRequest…)`, on `mcp` and FastMCP, "
    "in handlers "
    "and in the helpers they call.",
    why="Protocol 2026-07-28 has no requests from server to client. The call raises `NoBackChannelError` "
    "(FastMCP 4: "
    "`ToolError`), so the handler breaks, or worse, goes on without the answer.",
    example='```python\nanswer = await ctx.elicit(f"Delete {name}?", Confirm)\n```',
    remedy="End the call with an `InputRequiredResult` and read the answer from `input_responses` when the "
    "client calls "
    "again. `mrtr rewrite` writes that form; `mrtr run` or `adapt(server)` runs the handler as it is.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_REQUIREMENTS, _CLIENT, _MIGRATED, _BOTH_ERAS),
    invalid=(_ASKS, _FASTMCP, _LOW_LEVEL, _HELPER, _REQUEST),
)
