"""MRTR304: the end of a round cannot get past what is around the ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.around import first_ask, items_around, tries_around
from mrtr_codemod.analysis.calls import own_nodes
from mrtr_codemod.analysis.walk import caught_names, last_name
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView, ScopeView

_HEAD = """
import asyncio
from contextlib import suppress
from fastmcp import Context, FastMCP
mcp = FastMCP("desk")
"""
_BARE = (
    _HEAD
    + """
@mcp.tool
async def close(ctx: Context) -> str:
    try:
        answer = await ctx.elicit("Close?", response_type=bool)
    except:
        return "could not ask"
    return answer.action
"""
)
_FINALLY = (
    _HEAD
    + """
@mcp.tool
async def close(ctx: Context) -> str:
    state = "open"
    try:
        state = (await ctx.elicit("Close?", response_type=bool)).action
    finally:
        return state
"""
)
_GATHER = (
    _HEAD
    + """
@mcp.tool
async def both(ctx: Context) -> str:
    first, second = await asyncio.gather(
        ctx.elicit("One?", response_type=bool), ctx.elicit("Two?", response_type=bool), return_exceptions=True
    )
    return str((first, second))
"""
)
_SUPPRESS = (
    _HEAD
    + """
@mcp.tool
async def close(ctx: Context) -> str:
    with suppress(BaseException):
        return (await ctx.elicit("Close?", response_type=bool)).action
    return "kept"
"""
)
_NARROW = (
    _HEAD
    + """
@mcp.tool
async def close(ctx: Context) -> str:
    try:
        answer = await ctx.elicit("Close?", response_type=bool)
    except Exception:
        return "could not ask"
    finally:
        print("asked")
    return answer.action
"""
)
_RAISED = (
    _HEAD
    + """
@mcp.tool
async def close(ctx: Context) -> str:
    try:
        return (await ctx.elicit("Close?", response_type=bool)).action
    except BaseException:
        print("stopped")
        raise
"""
)
_EVERYTHING = frozenset({"BaseException", "CancelledError"})


def check(view: FileView) -> Iterator[Finding]:
    """One finding an `except`, `suppress`, `return` in `finally`, or `return_exceptions`."""
    for scope in view.replayed:
        yield from _tries(view, scope)
        yield from _suppressed(view, scope)
        for node in scope.nodes():
            if (
                isinstance(node, ast.Call)
                and last_name(node) == "gather"
                and _collects(node)
                and scope.asks_in(node)
            ):
                text = "`return_exceptions=True` turns an ask that could not be made into a value among the answers"
                yield view.finding(RULE, node, text, scope=scope.scope)


def _tries(view: FileView, scope: ScopeView) -> Iterator[Finding]:
    for node in tries_around(scope):
        related = [("the ask", first_ask(scope, *node.body))]
        for handler in node.handlers:
            names = caught_names(handler)
            if (not names or _EVERYTHING & set(names)) and not _raises(handler):
                caught = f"`except {names[0]}`" if names else "a bare `except`"
                text = f"{caught} around an ask swallows everything, the cancellation of the call too"
                yield view.finding(RULE, _head(handler), text, scope=scope.scope, related=related)
        for inner in own_nodes(ast.Module(node.finalbody, [])):
            if isinstance(inner, ast.Return):
                text = "`return` in `finally` replaces whatever ended the ask above it, an error or a cancellation too"
                yield view.finding(RULE, inner, text, scope=scope.scope, related=related)


def _suppressed(view: FileView, scope: ScopeView) -> Iterator[Finding]:
    for item, node in items_around(scope):
        call = item.context_expr
        if not (isinstance(call, ast.Call) and last_name(call) == "suppress"):
            continue
        if _EVERYTHING & {last_name(argument) for argument in call.args}:
            text = "`suppress` around an ask swallows everything, the cancellation of the call too"
            yield view.finding(
                RULE, call, text, scope=scope.scope, related=[("the ask", first_ask(scope, node))]
            )


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for node in own_nodes(ast.Module(handler.body, [])))


def _head(handler: ast.ExceptHandler) -> ast.AST | tuple[int, int, int, int]:
    end = handler.type
    if end is None:
        return (handler.lineno, handler.col_offset, handler.lineno, handler.col_offset + len("except"))
    return (handler.lineno, handler.col_offset, end.end_lineno or end.lineno, end.end_col_offset or 0)


def _collects(node: ast.Call) -> bool:
    return any(
        keyword.arg == "return_exceptions"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in node.keywords
    )


RULE = Rule(
    code="MRTR304",
    name="swallowed-ask",
    level=Level.WARNING,
    summary="What is around an ask swallows the error, or the cancellation, that it ends with.",
    what="Finds asks inside a bare `except`, `except BaseException`, `except CancelledError` or `suppress` of "
    "these without a `raise`, asks above a `return` in `finally`, and asks in a `gather` with "
    "`return_exceptions=True`.",
    why="An ask that cannot be made ends with an error, and a round that ends is a cancellation of the "
    "handler. When both are swallowed, the handler goes on as if it had its answer, holds on to its task, or "
    "hides the reason.",
    example='```python\ntry:\n    answer = await ctx.elicit("Close?", Confirm)\nexcept:\n    return "not asked"\n```',
    remedy="Catch `Exception` or narrower, and raise again what is not yours. Return after the `finally`, not "
    "in it. Look at each result of `gather` instead of collecting exceptions.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_NARROW, _RAISED),
    invalid=(_BARE, _FINALLY, _GATHER, _SUPPRESS),
)
