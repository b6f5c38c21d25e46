"""MRTR411: a handler ends its round without a look at the connection."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.calltree import CallTree, words
from mrtr_codemod.analysis.entries import ROUND_METHODS
from mrtr_codemod.analysis.handlers import handlers_in
from mrtr_codemod.analysis.sdk import sdk_names
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_RESULT = "InputRequiredResult"
_ADAPTER = "mrtr_adapter"
_GUARD = re.compile(
    r"protocol_?version|version_at_least|(?:^|_)modern(?:_|$)|(?:^|_)legacy(?:_|$)|(?:^|_)era(?:_|$)",
    re.IGNORECASE,
)

_TOOL = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitRequest, InputRequiredResult
mcp = MCPServer("files")
ASK: ElicitRequest
@mcp.tool()
async def delete(name: str, ctx: Context) -> str | InputRequiredResult:
    if not ctx.input_responses:
        return InputRequiredResult(input_requests={"sure": ASK})
    return "gone"
"""
_HELPER = """
from mcp import types
from mcp.server.lowlevel import Server
def ask(request: types.ElicitRequest) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests={"sure": request})
async def call_tool(ctx, params):
    return ask(params)
server = Server("files", on_call_tool=call_tool)
"""
_GUARDED = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitRequest, InputRequiredResult
mcp = MCPServer("files")
ASK: ElicitRequest
@mcp.tool()
async def delete(name: str, ctx: Context) -> str | InputRequiredResult:
    if ctx.protocol_version < "2026-07-28":
        return "Connect with a newer client to delete files."
    if not ctx.input_responses:
        return InputRequiredResult(input_requests={"sure": ASK})
    return "gone"
"""
_ADAPTED = (
    _TOOL
    + """
from mrtr_adapter import adapt
adapt(mcp)
"""
)
_STEPS = {
    "mrtr_steps.py": """
from mcp.types import InputRequiredResult
class Steps:
    def __init__(self, ctx): ...
    def ask(self, **requests) -> InputRequiredResult:
        return InputRequiredResult(input_requests=requests)
""",
    "server.py": """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult
from mrtr_steps import Steps
mcp = MCPServer("files")
@mcp.tool()
async def delete(name: str, ctx: Context) -> str | InputRequiredResult:
    return Steps(ctx).ask(sure=name)
""",
}
_CLIENT = """
from mcp import Client
from mcp.types import InputRequiredResult
async def main(client: Client) -> None:
    result = await client.session.call_tool("delete", {}, allow_input_required=True)
    if isinstance(result, InputRequiredResult):
        print(result.input_requests)
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each result that a handler of the file may return to a client of any age."""
    made = [call for call in view.calls if _makes_result(view, call)]
    if not made or _guards(words(ast.walk(view.tree))) or _is_adapted(view):
        return
    reported: set[ast.Call] = set()
    for handler, facts in handlers_in(view).items():
        if not any(fact.method in ROUND_METHODS for fact in facts):
            continue
        for call in _results(view, handler, made):
            if call not in reported:
                reported.add(call)
                yield view.finding(RULE, call, _MESSAGE, scope=handler)


def _results(view: FileView, handler: ScopeId, made: list[ast.Call]) -> Iterator[ast.Call]:
    """The results that a handler makes, itself or by functions of the file; none if it looks at the connection
    somewhere on the way."""
    node = view.analysis.project.node(handler)
    if node is None:
        return
    tree = CallTree(view.analysis.project, view.analysis.evaluator)
    nodes = [inner for inner, _ in tree.nodes([node], handler)]
    if not _guards(words(nodes)):
        reached = set(map(id, nodes))
        yield from (call for call in made if id(call) in reached)


def _makes_result(view: FileView, call: ast.Call) -> bool:
    return last_name(call) == _RESULT and _RESULT in sdk_names(view, call.func, view.scope_at(call))


def _guards(names: Iterator[str]) -> bool:
    return any(map(_GUARD.search, names))


def _is_adapted(view: FileView) -> bool:
    return any(True for _ in view.analysis.project.mentioning((_ADAPTER,)))


_MESSAGE = (
    "an older client gets -32603 for this `InputRequiredResult`: nothing looks at the protocol version first"
)

RULE = Rule(
    code="MRTR411",
    name="no-era-guard",
    level=Level.WARNING,
    summary="A handler returns an `InputRequiredResult` to clients of every protocol version.",
    what="Finds handlers that make an `InputRequiredResult`, themselves or by a function of the same file, when "
    "neither the file nor a function they call looks at the protocol version.",
    why="A connection of 2025-11-25 or older does not know the result: the SDK answers -32603, an internal error "
    "that tells neither the user nor the model what is missing.",
    example="```python\nreturn InputRequiredResult(input_requests={...})  # whoever asks\n```",
    remedy="Compare `ctx.protocol_version` first and return a plain refusal on an older connection, or push the "
    "request there as before. The helper that `mrtr rewrite` adds does the former; under the adapter both kinds of "
    "client are served.",
    reference=SPEC + "basic/versioning",
    check=check,
    words=(_RESULT,),
    valid=(_GUARDED, _ADAPTED, _STEPS, _CLIENT),
    invalid=(_TOOL, _HELPER),
)
