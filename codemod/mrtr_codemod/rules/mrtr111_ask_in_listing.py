"""MRTR111: an ask while something is listed, subscribed or routed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.entries import ROUND_METHODS, EntryFact
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule
from mrtr_codemod.rules.out_of_round import report_asks_of

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_LISTING = """
from mcp.server.lowlevel import Server
server = Server("files")
@server.list_resources()
async def list_resources():
    roots = await server.request_context.session.list_roots()
    return [root.uri for root in roots.roots]
"""
_CONSTRUCTOR = """
from mcp.server.lowlevel import Server
async def which(ctx):
    return await ctx.session.elicit_form("Which tools?", {})
async def list_tools(ctx, params):
    return await which(ctx)
server = Server("files", on_list_tools=list_tools)
"""
_READING = """
from mcp import types
from mcp.server.lowlevel import Server
server = Server("files")
@server.read_resource()
async def read(uri):
    return str(await server.request_context.session.list_roots())
async def call(request):
    return await server.request_context.session.elicit("Sure?", {})
server.request_handlers[types.CallToolRequest] = call
@server.list_tools()
async def list_tools():
    return []
"""


def _concerns(entry: EntryFact) -> bool:
    special = entry.method.startswith(("notification", "completion")) or entry.method in (
        "lifespan",
        "middleware",
    )
    return not special and entry.method not in ROUND_METHODS


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask, or a call that leads to one."""
    return report_asks_of(RULE, view, _concerns, "a handler of `{method}`")


RULE = Rule(
    code="MRTR111",
    name="ask-in-listing",
    level=Level.ERROR,
    summary="An ask in a handler of a request whose result cannot be a question.",
    what="Finds asks in handlers of `tools/list`, `prompts/list`, `resources/list`, `logging/setLevel`, "
    "subscriptions, custom requests and HTTP routes, also through helpers.",
    why="Only `tools/call`, `prompts/get` and `resources/read` may end with an `InputRequiredResult`. "
    "Anywhere else there is no way to ask on 2026-07-28, with or without the adapter.",
    example="```python\n@server.list_resources()\nasync def list_resources():\n"
    "    roots = await server.request_context.session.list_roots()\n```",
    remedy="List what does not depend on the client, and ask when a tool is called, a prompt is got or a "
    "resource is read. What the client's roots decided may come from configuration or from a tool's argument.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_READING,),
    invalid=(_LISTING, _CONSTRUCTOR),
)
