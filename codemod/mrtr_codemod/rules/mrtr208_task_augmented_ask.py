"""MRTR208: an ask is run as a task of the client."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.calls import key_of
from mrtr_codemod.analysis.sdk import argument, is_client_test, is_none, items, sdk_names, uses_sdk
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_METHODS = ("elicit_as_task", "create_message_as_task")
_PARAMS = (
    "ElicitRequestFormParams",
    "ElicitRequestURLParams",
    "ElicitRequestParams",
    "CreateMessageRequestParams",
)

_SESSION = """
from mcp.server.lowlevel import Server
server = Server("lab")
@server.call_tool()
async def call_tool(name, arguments):
    session = server.request_context.session
    answer = await session.experimental.elicit_as_task("Go on?", {"type": "object", "properties": {}}, ttl=60000)
    return []
"""
_TASK_CONTEXT = """
from mcp.server.experimental.task_context import ServerTaskContext
async def work(task: ServerTaskContext) -> None:
    await task.elicit_as_task("Go on?", {"type": "object", "properties": {}})
"""
_OBJECT = """
from mcp.types import ElicitRequestFormParams, TaskMetadata
params = ElicitRequestFormParams(message="Go on?", requestedSchema={}, task=TaskMetadata(ttl=60000))
"""
_RAW = """
def ask(message, schema):
    return {"message": message, "requestedSchema": schema, "task": {"ttl": 60000}}
"""
_TOOL_TASK = """
from mcp import ClientSession
async def main(session: ClientSession) -> None:
    await session.experimental.call_tool_as_task("train", {}, ttl=60000)
"""
_PLAIN = """
from mcp.types import ElicitRequestFormParams
params = ElicitRequestFormParams(message="Which task?", requestedSchema={}, task=None)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each ask."""
    if is_client_test(view):
        return
    for call in view.calls if uses_sdk(view) else ():
        if _augments(view, call):
            yield view.finding(RULE, call, _MESSAGE)
    for entries in map(items, view.outside_asserts(ast.Dict)):
        if entries.keys() >= {"requestedSchema", "task"}:
            yield view.finding(RULE, entries["task"], _MESSAGE)


def _augments(view: FileView, call: ast.Call) -> bool:
    scope = view.scope_at(call)
    if last_name(call) in _METHODS and isinstance(call.func, ast.Attribute):
        asks = view.analysis.graph.asks.get(scope, {})
        return key_of(call) in asks or not view.values(call.func.value, scope)
    task = argument(call, None, "task")
    return (
        task is not None and not is_none(task) and not sdk_names(view, call.func, scope).isdisjoint(_PARAMS)
    )


_MESSAGE = "the client runs no tasks for the server in 2026-07-28: an ask ends the call instead"

RULE = Rule(
    code="MRTR208",
    name="task-augmented-ask",
    level=Level.WARNING,
    summary="An ask is run as a task of the client, which 2026-07-28 removed.",
    what="Finds `elicit_as_task`, `create_message_as_task` and the `task` of elicitation and sampling "
    "parameters.",
    why="Task-augmented elicitation was experimental in 2025-11-25. In 2026-07-28 a server sends no requests, "
    "so a client "
    "has no tasks that the server could poll.",
    example="```python\nanswer = await session.experimental.elicit_as_task(message, schema, ttl=60_000)\n```",
    remedy="Put the request into an `InputRequiredResult`. The wait for the user is then the client's, "
    "without a task. Work "
    "of your own that takes long may use the tasks extension, where the server owns the task.",
    reference=MRTR_SPEC,
    check=check,
    words=(*_METHODS, *_PARAMS, "requestedSchema"),
    valid=(_TOOL_TASK, _PLAIN),
    invalid=(_SESSION, _TASK_CONTEXT, _OBJECT, _RAW),
)
