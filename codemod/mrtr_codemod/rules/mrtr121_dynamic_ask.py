"""MRTR121: an ask whose method or kind is worked out at run time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.asks import Spelling
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_GETATTR = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool
async def delete(ctx: Context) -> str:
    return str(await getattr(ctx, "elicit")("Really?", response_type=bool))
"""
_COMPUTED = """
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool()
async def ask(kind: str, ctx: Context) -> str:
    return str(await getattr(ctx.session, f"{kind}_message")([], max_tokens=9))
"""
_REQUEST = """
from mcp.server.session import ServerSession
async def relay(session: ServerSession, request, result_type):
    return await session.send_request(request, result_type)
"""
_PING = """
from mcp import types
from mcp.server.session import ServerSession
async def alive(session: ServerSession) -> None:
    await session.send_request(types.ServerRequest(types.PingRequest()), types.EmptyResult)
    print(getattr(session, "client_params", None))
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask."""
    for scope in view.asking:
        for key, fact in scope.asks.items():
            if fact.spelling is Spelling.DYNAMIC:
                what = (
                    f"`{fact.name.replace('()', '')}`"
                    if fact.kind
                    else "a request of a kind that cannot be told"
                )
                text = f"{what} is called in a way that cannot be followed: it can be neither rewritten nor judged"
                yield view.finding(RULE, key, text, scope=scope.scope)


RULE = Rule(
    code="MRTR121",
    name="dynamic-ask",
    level=Level.WARNING,
    summary="An ask whose method or kind is worked out at run time.",
    what='Finds `getattr(ctx, "elicit")(…)`, calls of a computed attribute of a context or session, and '
    "`session.send_request` of a request that was built elsewhere.",
    why="Protocol 2026-07-28 has no requests from server to client, so this breaks like any other ask; but "
    "what is asked cannot be told from the code, and no tool can rewrite it.",
    example='```python\nask = getattr(ctx, "elicit", None)\nanswer = await ask("Really?", Confirm)\n```',
    remedy="Call the method by its name. `getattr` with a default for old SDKs is not needed any more. Until "
    "then the adapter runs the handler as it is.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_PING,),
    invalid=(_GETATTR, _COMPUTED, _REQUEST),
)
