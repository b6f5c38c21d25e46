"""MRTR204: a handler waits for changes of the client's roots."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.sdk import constant, sdk_names
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_METHOD = "notifications/roots/list_changed"
_CLASS = "RootsListChangedNotification"
_KEYWORD = "on_roots_list_changed"
_REGISTERS = frozenset(
    {"add_notification_handler", "set_notification_handler", "notification_handler", "on_notification"}
)

_ARGUMENT = """
from mcp.server.lowlevel import Server
async def refresh(ctx, params) -> None: ...
server = Server("desk", on_roots_list_changed=refresh)
"""
_TABLE = """
from mcp import types
from mcp.server.lowlevel import Server
server = Server("desk")
async def refresh(notification: types.RootsListChangedNotification) -> None: ...
server.notification_handlers[types.RootsListChangedNotification] = refresh
"""
_INNER = """
from fastmcp import FastMCP
from mcp.types import RootsListChangedNotification
mcp = FastMCP("desk")
async def refresh(notification) -> None: ...
mcp._mcp_server.notification_handlers[RootsListChangedNotification] = refresh
"""
_ADDED = """
from mcp import types
from mcp.server.lowlevel import Server
server = Server("desk")
async def refresh(ctx, params) -> None: ...
server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, refresh)
"""
_CLIENT = """
from mcp import ClientSession, types
async def moved(session: ClientSession) -> None:
    await session.send_roots_list_changed()
    await session.send_notification(types.ClientNotification(types.RootsListChangedNotification()))
"""
_OTHER = """
from mcp import types
from mcp.server.lowlevel import Server
server = Server("desk")
async def progress(notification) -> None: ...
server.notification_handlers[types.ProgressNotification] = progress
def watch(on_roots_list_changed) -> None: ...
watch(on_roots_list_changed=progress)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each registration."""
    for call in view.calls:
        place = _registered(view, call)
        if place is not None:
            yield view.finding(RULE, place, _MESSAGE)
    for assignment in view.outside_asserts(ast.Assign):
        for target in assignment.targets:
            if isinstance(target, ast.Subscript) and _in_table(view, target):
                yield view.finding(RULE, target, _MESSAGE)


def _registered(view: FileView, call: ast.Call) -> ast.expr | None:
    name = last_name(call)
    for keyword in call.keywords:
        if keyword.arg == _KEYWORD and "Server" in sdk_names(view, call.func, view.scope_at(call)):
            return keyword.value
    if name not in _REGISTERS or not isinstance(call.func, ast.Attribute):
        return None
    for value in call.args:
        if constant(value) == _METHOD or _CLASS in sdk_names(view, value, view.scope_at(call)):
            return value
    return None


def _in_table(view: FileView, target: ast.Subscript) -> bool:
    return last_name(target.value).endswith("notification_handlers") and _CLASS in sdk_names(
        view, target.slice, view.scope_at(target)
    )


_MESSAGE = f"`{_METHOD}` never comes on 2026-07-28: no session is there to remember roots for"

RULE = Rule(
    code="MRTR204",
    name="roots-list-changed",
    level=Level.WARNING,
    summary="A handler waits for changes of the client's roots, which 2026-07-28 does not announce.",
    what="Finds handlers of `notifications/roots/list_changed`: `Server(on_roots_list_changed=…)`, an entry "
    "in `notification_handlers`, `add_notification_handler`.",
    why="The notification was removed with the session that it belonged to, and roots are deprecated. What "
    "the handler "
    "refreshes (a cached list of folders) stays as it was, or empty.",
    example='```python\nserver = Server("desk", on_roots_list_changed=refresh)\n```',
    remedy="Take the folders as tool arguments or from configuration. If a call needs the client's roots, ask "
    "for them in "
    "that call's `InputRequiredResult`, and do not keep them.",
    reference=SPEC + "client/roots",
    check=check,
    words=(_METHOD, _CLASS, _KEYWORD),
    valid=(_CLIENT, _OTHER),
    invalid=(_ARGUMENT, _TABLE, _INNER, _ADDED),
)
