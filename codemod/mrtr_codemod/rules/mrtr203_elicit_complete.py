"""MRTR203: the client is notified that a URL elicitation is complete."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.sdk import constant, is_client_test, items, sdk_names, uses_sdk
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_METHOD = "notifications/elicitation/complete"
_SENDER = "send_elicit_complete"
_NOTIFICATION = "ElicitCompleteNotification"

_SESSION = """
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("calendar")
@mcp.tool()
async def done(link: str, ctx: Context) -> str:
    await ctx.session.send_elicit_complete(link, related_request_id=ctx.request_id)
    return "linked"
"""
_KEPT = """
from mcp.server.fastmcp import Context, FastMCP
PENDING = {}
async def callback(link: str) -> None:
    session = PENDING[link]["session"]
    await session.send_elicit_complete(link)
"""
_OBJECT = """
from mcp import types
from mcp.server.session import ServerSession
async def done(session: ServerSession, link: str) -> None:
    params = types.ElicitCompleteNotificationParams(elicitationId=link)
    await session.send_notification(types.ServerNotification(types.ElicitCompleteNotification(params=params)))
"""
_RAW = """
def done(link):
    return {"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {"elicitationId": link}}
"""
_SENT = """
async def done(connection, link):
    await connection.send_notification("notifications/elicitation/complete", {"elicitationId": link})
"""
_CLIENT = '''
from mcp import types
async def on_message(message) -> None:
    """Waits for notifications/elicitation/complete, sent by send_elicit_complete(...)."""
    if isinstance(message, types.ServerNotification) and isinstance(message.root, types.ElicitCompleteNotification):
        print(message.root.params.elicitationId)
def register(client) -> None:
    client.on_notification("notifications/elicitation/complete", on_message)
'''
_OTHER = """
import mcp
class Course:
    async def send_elicit_complete(self, lesson: str) -> None: ...
async def finish(course: Course) -> None:
    await course.send_elicit_complete("requirements")
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each notification that is sent or made."""
    if is_client_test(view):
        return
    for call in view.outside_asserts(ast.Call):
        if _sends(view, call):
            yield view.finding(RULE, call, _MESSAGE)
    for message in view.outside_asserts(ast.Dict):
        if constant(items(message).get("method")) == _METHOD:
            yield view.finding(RULE, message, _MESSAGE)


def _sends(view: FileView, call: ast.Call) -> bool:
    scope = view.scope_at(call)
    name = last_name(call)
    if name == _SENDER and isinstance(call.func, ast.Attribute):
        known = view.values(call.func.value, scope)
        return f"ServerSession().{_SENDER}" in sdk_names(view, call.func, scope) or (
            not known and uses_sdk(view)
        )
    if name == _NOTIFICATION:
        return name in sdk_names(view, call.func, scope)
    sends = name.lstrip("_").startswith(("send", "notify", "emit", "push"))
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return sends and any(constant(value) == _METHOD for value in given)


_MESSAGE = f"`{_METHOD}` is gone in 2026-07-28: no client waits for it"

RULE = Rule(
    code="MRTR203",
    name="elicit-complete",
    level=Level.WARNING,
    summary="The client is notified that a URL elicitation is complete, which 2026-07-28 removed.",
    what="Finds `session.send_elicit_complete`, `ElicitCompleteNotification(…)` and the method "
    "`notifications/elicitation/complete` in messages built by hand.",
    why="The notification is gone, and with it the stream that it would have come on. A client of 2026-07-28 "
    "learns the "
    "outcome by calling again; a server that waits to send it keeps a session for nothing.",
    example="```python\nawait ctx.session.send_elicit_complete(link_id)\n```",
    remedy="Remove it. Store the outcome of the page where every instance can read it, and look it up when "
    "the client "
    "calls again with the `requestState`. Under the adapter it does nothing.",
    reference=SPEC + "client/elicitation",
    check=check,
    words=(_SENDER, _METHOD, _NOTIFICATION),
    valid=(_CLIENT, _OTHER),
    invalid=(_SESSION, _KEPT, _OBJECT, _RAW, _SENT),
)
