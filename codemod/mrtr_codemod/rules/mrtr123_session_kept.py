"""MRTR123: a session or a context that is kept for later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.lasting import lasting_targets
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.names.roles import CONNECTIONS, local_part
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_GLOBAL = """
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("jobs")
_session = None
@mcp.tool()
async def start(ctx: Context) -> str:
    global _session
    _session = ctx.session
    return "started"
async def later() -> None:
    await _session.create_message([], max_tokens=9)
"""
_DICT = """
from fastmcp import Context, FastMCP
mcp = FastMCP("jobs")
CLIENTS = {}
@mcp.tool
async def start(user: str, ctx: Context) -> str:
    CLIENTS[user] = ctx
    return str(await CLIENTS[user].elicit("Go?", response_type=bool))
"""
_SELF = """
from fastmcp import Context, FastMCP
class Jobs:
    def __init__(self, mcp: FastMCP) -> None:
        mcp.tool(self.start)
        self.ctx = None
    async def start(self, ctx: Context) -> str:
        self.ctx = ctx
        return await self.work()
    async def work(self) -> str:
        return str(await self.ctx.elicit("Go?", response_type=bool))
"""
_PASSED = """
from fastmcp import Context, FastMCP
mcp = FastMCP("jobs")
class Job:
    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
    async def run(self) -> str:
        return str(await self.ctx.elicit("Go?", response_type=bool))
@mcp.tool
async def start(ctx: Context) -> str:
    session = ctx.session
    return await Job(ctx).run()
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding an assignment."""
    for function in view.functions:
        for node in function.nodes():
            if not isinstance(node, ast.Assign):
                continue
            targets = list(lasting_targets(function, node))
            names = {local_part(e) for e in view.externals(node.value, function.scope)} if targets else set()
            for target in targets if names & CONNECTIONS else ():
                text = f"`{ast.unparse(target)}` outlives the call: what asks through it later cannot be followed"
                yield view.finding(RULE, node, text, scope=function.scope)


RULE = Rule(
    code="MRTR123",
    name="session-kept",
    level=Level.WARNING,
    summary="A session or a context is kept for later, in a global or on an object that outlives the call.",
    what="Finds contexts and sessions that are assigned to a global, put into a global container, or set on "
    "`self` outside of `__init__`, in files that ask.",
    why="An ask belongs to the call that it is made in, and rides in the result of that call. Through a "
    "session that was kept, it may come at any time and from any task; on 2026-07-28 there is no session that "
    "it could be sent on.",
    example="```python\nglobal _session\n_session = ctx.session\n```",
    remedy="Hand the context down as an argument to what asks. An object made for one call may hold it.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_PASSED,),
    invalid=(_GLOBAL, _DICT, _SELF),
)
