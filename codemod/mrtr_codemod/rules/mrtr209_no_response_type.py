"""MRTR209: FastMCP asks for no data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.sdk import argument, is_none
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_ELICIT = "fastmcp:Context().elicit"

_KEYWORD = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool
async def delete(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"Delete {name}?", response_type=None)
    return answer.action
"""
_LEFT_OUT = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool
async def delete(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"Delete {name}?")
    other = await ctx.elicit("Really?", None)
    return answer.action + other.action
"""
_TYPED = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool
async def delete(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"Delete {name}?", bool)
    options = {"message": "Really?", "response_type": bool}
    other = await ctx.elicit(**options)
    return answer.action + other.action
"""
_OTHER = """
from mcp.server.fastmcp import Context
class Api:
    def elicit(self, path, response_type=None): ...
def call(api: Api) -> None:
    api.elicit("/pets", response_type=None)
async def ask(ctx: Context) -> None:
    await ctx.elicit("Sure?", response_type=None)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each ask."""
    for call in view.calls:
        if last_name(call) != "elicit" or _ELICIT not in view.externals(call.func, view.scope_at(call)):
            continue
        given = argument(call, 1, "response_type")
        if is_none(given) or (given is None and not _unpacks(call)):
            yield view.finding(RULE, given if given is not None else call, _MESSAGE)


def _unpacks(call: ast.Call) -> bool:
    return any(isinstance(value, ast.Starred) for value in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    )


_MESSAGE = "`ctx.elicit` without a response type is a `TypeError` in FastMCP 4; ask for a `bool`"

RULE = Rule(
    code="MRTR209",
    name="no-response-type",
    level=Level.ERROR,
    summary="FastMCP's `ctx.elicit` is called with `response_type=None`, which FastMCP 4 refuses.",
    what="Finds `ctx.elicit` of FastMCP 2 and 3 with `response_type=None`, or without a response type.",
    why="An empty form is rendered by some clients as one that cannot be sent. FastMCP 4 therefore raises "
    "`TypeError` "
    "before anything is asked, on every protocol version, so no adapter can run such a handler.",
    example='```python\nanswer = await ctx.elicit("Delete it?", response_type=None)\n```',
    remedy='Ask for `bool` and go on only if `answer.action == "accept"` and `answer.data` is true.',
    reference="https://gofastmcp.com/servers/elicitation",
    check=check,
    words=(".elicit(",),
    valid=(_TYPED, _OTHER),
    invalid=(_KEYWORD, _LEFT_OUT),
)
