"""MRTR404: a destructive tool has no way for a client that cannot be asked."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.calltree import CallTree, words
from mrtr_codemod.analysis.handlers import handlers_in
from mrtr_codemod.analysis.sdk import constant, items
from mrtr_codemod.analysis.view import FileView, FunctionView
from mrtr_codemod.analysis.walk import Try, last_name
from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.asks import AskFact

_DESTRUCTIVE = frozenset(
    {"delete", "remove", "purge", "drop", "destroy", "erase", "wipe", "truncate", "kill", "terminate", "revoke",
     "uninstall", "overwrite", "reset", "format", "shutdown", "decommission", "nuke"}
)  # fmt: skip
_RESULT = "InputRequiredResult"
_CAPABILITY = re.compile(
    r"capabilit|protocol_?version|(?:can|supports?|has)_\w*(?:elicit|ask|form)", re.IGNORECASE
)
_CONSENT = re.compile(r"^(?:confirm\w*|force|yes|approved?|dry_?run|acknowledge\w*|assume_yes|consent\w*)$")

_NAMED = """
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel
mcp = FastMCP("files")
class Confirm(BaseModel):
    ok: bool
@mcp.tool()
async def delete_file(name: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"Delete {name}?", Confirm)
    return "gone" if answer.action == "accept" else "kept"
"""
_ANNOTATED = {
    "server.py": """
from fastmcp import Context, FastMCP
from mcp.types import ToolAnnotations
from confirm import agreed
mcp = FastMCP("files")
@mcp.tool(annotations=ToolAnnotations(destructiveHint=True))
async def tidy(ctx: Context) -> str:
    return "gone" if await agreed(ctx) else "kept"
@mcp.tool("wipe_disk", annotations={"readOnlyHint": False})
async def start_over(ctx: Context) -> str:
    return "gone" if await agreed(ctx) else "kept"
""",
    "confirm.py": """
async def agreed(ctx) -> bool:
    return (await ctx.elicit("Sure?", bool)).action == "accept"
""",
}
_ROUNDS = """
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitRequest, InputRequiredResult
mcp = MCPServer("files")
ASK: ElicitRequest
@mcp.tool()
async def delete_file(name: str, ctx: Context) -> str | InputRequiredResult:
    if not ctx.input_responses:
        return InputRequiredResult(input_requests={"sure": ASK})
    return "gone"
"""
_ROUNDS_WITH_CHECK = _ROUNDS.replace(
    "    if not ctx.input_responses:",
    "    if ctx.client_capabilities is None:\n        return 'kept'\n    if not ctx.input_responses:",
)
_WITH_PARAMETER = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool
async def delete_file(name: str, ctx: Context, confirm: bool = False) -> str:
    if not confirm and (await ctx.elicit("Sure?", bool)).action != "accept":
        return "kept"
    return "gone"
"""
_WITH_CHECK = """
from fastmcp import Context, FastMCP
from mcp.types import ClientCapabilities, ElicitationCapability
mcp = FastMCP("files")
@mcp.tool
async def delete_file(name: str, ctx: Context) -> str:
    if not ctx.session.check_client_capability(ClientCapabilities(elicitation=ElicitationCapability())):
        return "This client cannot ask you; delete the file by hand."
    return "gone" if (await ctx.elicit("Sure?", bool)).action == "accept" else "kept"
"""
_WITH_REFUSAL = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool
async def delete_file(name: str, ctx: Context) -> str:
    try:
        answer = await ctx.elicit("Sure?", bool)
    except Exception:
        return "This client cannot ask you; delete the file by hand."
    return "gone" if answer.action == "accept" else "kept"
"""
_MILD = """
from fastmcp import Context, FastMCP
mcp = FastMCP("files")
@mcp.tool(annotations={"destructiveHint": False})
async def deleted_files(ctx: Context) -> str:
    return (await ctx.elicit("Which day?", str)).action
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding a tool."""
    for function in _asking_tools(view):
        if _is_destructive(function) and not _has_way(view, function):
            place = function.node.decorator_list[0] if function.node.decorator_list else function.node
            message = (
                f"`{function.info.name}` destroys something after asking, and has no answer for a client that "
                "cannot be asked"
            )
            yield view.finding(RULE, place, message, scope=function.scope)


def _asking_tools(view: FileView) -> Iterator[FunctionView]:
    """The tools of the file that ask in mid-call, and those that end a round with a result made in this file."""
    entries = view.analysis.graph.entries
    for scope in view.asking:
        is_tool = any(fact.method == "tools/call" for fact in entries.get(scope.scope, ()))
        if isinstance(scope, FunctionView) and is_tool and _asks_user(view, scope.scope):
            yield scope
    made = {id(call) for call in view.calls if last_name(call) == _RESULT}
    for handler, found in handlers_in(view).items() if made else ():
        function = view.function(handler)
        if function is not None and any(fact.method == "tools/call" for fact in found):
            tree = CallTree(view.analysis.project, view.analysis.evaluator)
            if any(id(node) in made for node, _ in tree.nodes([function.node], handler)):
                yield function


def _is_destructive(function: FunctionView) -> bool:
    names = {function.info.name}
    for decorator in function.node.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.keyword) and node.arg in ("destructiveHint", "destructive_hint"):
                return constant(node.value) is True
            if isinstance(node, ast.Dict) and "destructiveHint" in items(node):
                return constant(items(node)["destructiveHint"]) is True
        if isinstance(decorator, ast.Call):
            given = [*decorator.args[:1], *(k.value for k in decorator.keywords if k.arg == "name")]
            names |= {value for node in given if isinstance(value := constant(node), str)}
    return any(re.split(r"[_\W]", name.lower())[0] in _DESTRUCTIVE for name in names)


def _asks_user(view: FileView, handler: ScopeId) -> bool:
    """Whether a form or a URL is asked for on some way from a handler."""
    graph = view.analysis.graph
    pending, seen = [handler], set[ScopeId]()
    while pending:
        scope = pending.pop()
        if scope not in seen:
            seen.add(scope)
            if any(_is_question(fact) for fact in graph.asks.get(scope, {}).values()):
                return True
            pending.extend(edge.callee for edge in graph.edges.get(scope, ()))
    return False


def _is_question(fact: AskFact) -> bool:
    return fact.kind in (AskKind.FORM, AskKind.URL)


def _has_way(view: FileView, function: FunctionView) -> bool:
    """Whether a tool looks at what the client can do, handles the failure to ask, or takes consent as an
    argument."""
    if any(_CONSENT.match(parameter.name) for parameter in function.info.parameters):
        return True
    tree = CallTree(view.analysis.project, view.analysis.evaluator)
    nodes = [node for node, _ in tree.nodes([function.node], function.scope)]
    if any(isinstance(node, Try) and _awaits(node) for node in nodes):
        return True
    return any(map(_CAPABILITY.search, words(nodes)))


def _awaits(node: ast.Try) -> bool:
    return bool(node.handlers) and any(
        isinstance(inner, ast.Await) for statement in node.body for inner in ast.walk(statement)
    )


RULE = Rule(
    code="MRTR404",
    name="no-refusal",
    level=Level.INFO,
    summary="A destructive tool has no way for a client that cannot be asked.",
    what="Finds tools that ask the user and are destructive by their annotations or by the first word of their name, "
    "when neither they nor what they call looks at the client's capabilities, handles the failure to ask, or takes "
    "the consent as an argument.",
    why="Many clients cannot ask, and a server must not send them a request that they did not declare. The call then "
    "ends in an internal error or hangs, and a model looks for another way to the same end, often a less careful one.",
    example='```python\nanswer = await ctx.elicit("Delete it?", Confirm)  # and if nobody can be asked?\n```',
    remedy="Check the capability first and return a plain refusal that says what the user can do. Never go on without "
    "the answer. The adapter and the rewritten form refuse with -32021 by themselves.",
    reference=SPEC + "client/elicitation",
    check=check,
    words=(_RESULT,),
    asking=True,
    valid=(_ROUNDS_WITH_CHECK, _WITH_PARAMETER, _WITH_CHECK, _WITH_REFUSAL, _MILD),
    invalid=(_NAMED, _ANNOTATED, _ROUNDS),
)
