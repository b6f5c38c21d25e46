"""MRTR114: an ask while a notification is handled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.entries import EntryFact
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule
from mrtr_codemod.rules.out_of_round import report_asks_of

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_ROOTS = """
from mcp.server.lowlevel import Server
async def changed(ctx, params):
    print(await ctx.session.list_roots())
server = Server("files", on_roots_list_changed=changed)
"""
_OLD = """
from mcp import types
from mcp.server.lowlevel import Server
server = Server("files")
async def changed(notification):
    print(await server.request_context.session.list_roots())
server.notification_handlers[types.RootsListChangedNotification] = changed
"""
_FORGETS = """
from mcp.server.lowlevel import Server
FOLDERS = []
async def changed(ctx, params):
    FOLDERS.clear()
async def call_tool(ctx, params):
    return await ctx.session.list_roots()
server = Server("files", on_roots_list_changed=changed, on_call_tool=call_tool)
"""


def _concerns(entry: EntryFact) -> bool:
    return entry.method.startswith("notification")


def check(view: FileView) -> Iterator[Finding]:
    """One finding an ask, or a call that leads to one."""
    return report_asks_of(RULE, view, _concerns, "a notification handler (`{method}`)")


RULE = Rule(
    code="MRTR114",
    name="ask-in-notification",
    level=Level.ERROR,
    summary="An ask while a notification is handled.",
    what="Finds asks in handlers of notifications, such as listing the roots again when they have changed.",
    why="A notification has no result, so there is nothing that could carry a question to the client.",
    example="```python\nasync def changed(ctx, params):\n    roots = await ctx.session.list_roots()\n```",
    remedy="Only note that something changed, and ask in the next call that needs it.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_FORGETS,),
    invalid=(_ROOTS, _OLD),
)
