"""MRTR205: sampling asks the client to include context."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.calls import key_of
from mrtr_codemod.analysis.definitions import Definitions
from mrtr_codemod.analysis.sdk import argument, constant, is_client_test, items, sdk_names
from mrtr_codemod.model import AskKind, Finding, Level
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_NAMES = ("include_context", "includeContext")
_VALUES = ("thisServer", "allServers")
_REQUESTS = frozenset({"CreateMessageRequestParams", "Sample"})

_SESSION = """
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("notes")
@mcp.tool()
async def summarise(text: str, ctx: Context) -> str:
    reply = await ctx.session.create_message(messages=[], max_tokens=100, include_context="thisServer")
    return reply.model
"""
_PARAMS = """
from mcp.types import CreateMessageRequestParams
params = CreateMessageRequestParams(messages=[], maxTokens=100, includeContext="allServers")
"""
_MARKER = """
from mcp.server.mcpserver import Sample
def summary() -> Sample:
    return Sample([], max_tokens=100, include_context="thisServer")
"""
_NAMED = """
from mcp.server.fastmcp import Context, FastMCP
SCOPE = "thisServer"
mcp = FastMCP("notes")
@mcp.tool()
async def summarise(brief: bool, ctx: Context) -> str:
    first = await ctx.session.create_message(messages=[], max_tokens=100, include_context=SCOPE)
    return first.model
"""
_RAW = """
def request(messages):
    return {"messages": messages, "maxTokens": 100, "includeContext": "allServers"}
"""
_NONE = """
from mcp.server.fastmcp import Context, FastMCP
mcp = FastMCP("notes")
@mcp.tool()
async def summarise(text: str, ctx: Context) -> str:
    reply = await ctx.session.create_message(messages=[], max_tokens=100, include_context="none")
    other = await ctx.session.create_message(messages=[], max_tokens=100, include_context=None)
    return reply.model + other.model
"""
_OTHER = """
import mcp
from pydantic import ValidationError
def describe(error: ValidationError) -> list:
    return error.errors(include_context=False, include_url=False)
def search(options) -> dict:
    return {"query": options, "includeContext": True}
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each request that wants context."""
    if is_client_test(view):
        return
    definitions = Definitions(view.analysis.project, view.analysis.evaluator)
    for call in view.calls:
        scope = view.scope_at(call)
        value = argument(call, None, *_NAMES)
        if value is None or not _wants_context(definitions.of(value, scope).node):
            continue
        fact = view.analysis.graph.asks.get(scope, {}).get(key_of(call))
        if (fact is not None and fact.kind is AskKind.SAMPLING) or not _REQUESTS.isdisjoint(
            sdk_names(view, call.func, scope)
        ):
            yield view.finding(RULE, value, _MESSAGE)
    for entries in map(items, view.outside_asserts(ast.Dict)):
        if "messages" in entries and constant(entries.get("includeContext")) in _VALUES:
            yield view.finding(RULE, entries["includeContext"], _MESSAGE)


def _wants_context(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Constant) and inner.value in _VALUES for inner in ast.walk(node))


_MESSAGE = (
    "`includeContext` is deprecated: a client that did not declare `sampling.context` ignores or refuses it"
)

RULE = Rule(
    code="MRTR205",
    name="include-context",
    level=Level.WARNING,
    summary="A sampling request asks the client to include context, which is deprecated.",
    what="Finds `include_context` / `includeContext` of `thisServer` or `allServers` in sampling requests: "
    "`create_message`, `CreateMessageRequestParams`, `Sample`.",
    why="The values `thisServer` and `allServers` are deprecated. Few clients honour them, a client has to "
    "declare "
    "`sampling.context` first, and on 2026-07-28 there is no session whose context could be meant.",
    example='```python\nawait session.create_message(messages, max_tokens=100, include_context="thisServer")\n```',
    remedy="Leave it out, and put what the model has to know into the messages.",
    reference=SPEC + "client/sampling",
    check=check,
    words=_NAMES,
    valid=(_NONE, _OTHER),
    invalid=(_SESSION, _PARAMS, _MARKER, _NAMED, _RAW),
)
