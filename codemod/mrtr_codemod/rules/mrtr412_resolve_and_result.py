"""MRTR412: a tool mixes `Resolve` with an `InputRequiredResult` of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.sdk import sdk_names
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView, FunctionView

_HEAD = """
from typing import Annotated
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.types import InputRequiredResult
from pydantic import BaseModel
mcp = MCPServer("files")
class Confirm(BaseModel):
    ok: bool
def sure(name: str) -> Elicit[Confirm]:
    return Elicit(f"Delete {name}?", Confirm)
@mcp.tool()
"""
_DECLARED = (
    _HEAD
    + """
async def delete(name: str, ok: Annotated[Confirm, Resolve(sure)]) -> str | InputRequiredResult:
    return "gone"
"""
)
_RETURNED = (
    _HEAD
    + """
async def delete(name: str, ok: Annotated[Confirm, Resolve(sure)], ctx: Context):
    if not ctx.input_responses:
        return InputRequiredResult(request_state="why")
    return "gone"
"""
)
_RESOLVED = (
    _HEAD
    + """
async def delete(name: str, ok: Annotated[Confirm, Resolve(sure)]) -> str:
    return "gone"
@mcp.tool()
async def purge(name: str, ctx: Context) -> str | InputRequiredResult:
    return InputRequiredResult(request_state="why")
"""
)
_OTHER = """
from typing import Annotated
from mcp.types import InputRequiredResult
from paths import Resolve
def open_file(name: Annotated[str, Resolve("home")]) -> str | InputRequiredResult:
    return name
"""


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each such tool."""
    for function in view.functions:
        marker = _marker(view, function)
        if marker is not None and _ends_round(view, function):
            yield view.finding(RULE, marker, _MESSAGE, scope=function.scope)


def _marker(view: FileView, function: FunctionView) -> ast.Call | None:
    arguments = function.node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        for node in ast.walk(argument.annotation) if argument.annotation is not None else ():
            if isinstance(node, ast.Call) and "Resolve" in sdk_names(view, node.func, function.info.parent):
                return node
    return None


def _ends_round(view: FileView, function: FunctionView) -> bool:
    named: list[ast.expr] = []
    if function.node.returns is not None:
        named = [node for node in ast.walk(function.node.returns) if isinstance(node, ast.expr)]
    named += [node.func for node in function.nodes() if isinstance(node, ast.Call)]
    return any(
        last_name(node) == "InputRequiredResult"
        and "InputRequiredResult" in sdk_names(view, node, function.scope)
        for node in named
        if isinstance(node, (ast.Name, ast.Attribute))
    )


_MESSAGE = "`Resolve` and an `InputRequiredResult` of the tool's own do not mix: the SDK refuses the tool"

RULE = Rule(
    code="MRTR412",
    name="resolve-and-result",
    level=Level.ERROR,
    summary="A tool mixes `Resolve` parameters with an `InputRequiredResult` of its own.",
    what="Finds functions with a parameter `Annotated[…, Resolve(…)]` that declare or make an `InputRequiredResult`.",
    why="Resolvers keep their own progress in `requestState`, and the tool's state would overwrite it. The SDK refuses "
    "to register a tool that declares both, and fails the call of one that returns the result without declaring it.",
    example="```python\nasync def f(ok: Annotated[Confirm, Resolve(sure)]) -> str | InputRequiredResult: ...\n```",
    remedy="Ask everything by resolvers (they may depend on each other), or everything by explicit steps.",
    reference=MRTR_SPEC,
    check=check,
    words=("Resolve(",),
    valid=(_RESOLVED, _OTHER),
    invalid=(_DECLARED, _RETURNED),
)
