"""What keeps a function that asks from being rewritten, and what makes a rewrite need a look."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mrtr_codemod.analysis.around import items_around, tries_around
from mrtr_codemod.analysis.asks import Spelling
from mrtr_codemod.analysis.calls import key_of, own_nodes
from mrtr_codemod.analysis.live import live_across
from mrtr_codemod.analysis.portable import hindrance
from mrtr_codemod.analysis.view import FunctionView, ScopeView
from mrtr_codemod.analysis.walk import COMPREHENSIONS, Loop, caught_names, last_name

_BROAD = frozenset({"Exception", "BaseException", "MCPError", "McpError", "NoBackChannelError", "ToolError"})


def hindrances(view: FunctionView) -> Iterator[str]:
    """Why the asks of a function, or its calls that lead to asks, cannot be turned into steps by a tool."""
    if not view.info.is_async and any(fact.spelling is Spelling.RUNNER for fact in view.asks.values()):
        yield "it asks from a worker thread"
    if any(fact.spelling in (Spelling.DYNAMIC, Spelling.VALUE) for fact in view.asks.values()):
        yield "one of its asks cannot be followed"
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in view.nodes()):
        yield "it is a generator"
    around = next((statement for _, statement in items_around(view)), None)
    if around is not None:
        yield f"the `with` on line {around.lineno} is around an ask"
    for node in tries_around(view):
        reason = _in_try(view, node)
        if reason:
            yield reason
            break
    yield from _places(view)
    for statement, locals_ in live_across(view):
        for local in locals_:
            reason = hindrance(view, local)
            if reason:
                yield f"`{local.name}` is needed after line {statement.lineno}, and JSON cannot carry {reason}"


def cautions(view: FunctionView) -> Iterator[str]:
    """What a reader of the rewritten function should look at."""
    loops = (node for node in view.nodes() if isinstance(node, Loop))
    if any(view.asks_in(statement) for loop in loops for statement in loop.body):
        yield "it asks in a loop"
    if any(
        _BROAD & set(caught_names(h)) or not caught_names(h)
        for node in tries_around(view)
        for h in node.handlers
    ):
        yield "an `except` is around an ask"
    if any(
        isinstance(node, ast.Call) and last_name(node) == "gather" and view.asks_in(node)
        for node in view.nodes()
    ):
        yield "it asks several things at once"
    if any(fact.spelling is Spelling.RAISE for fact in view.asks.values()):
        yield "it raises UrlElicitationRequiredError"


def _in_try(view: ScopeView, node: ast.Try) -> str | None:
    """A `try` around more than the ask: which errors its `except` meant can no longer be told."""
    effects = view.file.analysis.effects
    if any(effects.of(inner, view.scope) for inner in own_nodes(ast.Module(node.finalbody, []))):
        return f"the `finally` of the `try` on line {node.lineno} does something at the end of every round"
    for inner in own_nodes(ast.Module(node.body, [])):
        if not view.asks_at(inner) and effects.of(inner, view.scope) is not None and node.handlers:
            return f"the `except` of the `try` on line {node.lineno} covers more than the ask"
    return None


def _places(view: ScopeView) -> Iterator[str]:
    """Asks in the middle of something that runs only sometimes, or once for each element."""
    for node in view.nodes():
        if isinstance(node, COMPREHENSIONS) and view.asks_in(node) and not _asks_outside(view, node):
            yield f"it asks for each element of the comprehension on line {node.lineno}"
        elif isinstance(node, ast.BoolOp) and any(view.asks_in(value) for value in node.values[1:]):
            yield f"line {node.lineno} asks only if the left side of `and` or `or` does not decide"
        elif isinstance(node, ast.IfExp) and (view.asks_in(node.body) or view.asks_in(node.orelse)):
            yield f"line {node.lineno} asks in an arm of a conditional expression"
        elif isinstance(node, ast.Lambda) and view.asks_in(node.body):
            yield f"the lambda on line {node.lineno} asks"
        elif isinstance(node, ast.AsyncFor) and any(view.asks_in(statement) for statement in node.body):
            yield f"it asks in the `async for` on line {node.lineno}"
        elif isinstance(node, ast.Call) and _gathers_helpers(view, node):
            yield f"the helpers gathered on line {node.lineno} ask at the same time"


def _asks_outside(view: ScopeView, node: ast.AST) -> bool:
    """Whether the ask stands in the first iterable of a comprehension, which is evaluated once."""
    first = node.generators[0].iter  # type: ignore[attr-defined]
    inside = {key_of(part) for part in ast.walk(first) if isinstance(part, ast.Call)}
    every = {key_of(part) for part in ast.walk(node) if isinstance(part, ast.Call) and view.asks_at(part)}
    return every <= inside


def _gathers_helpers(view: ScopeView, node: ast.Call) -> bool:
    if last_name(node) != "gather":
        return False
    calls = [part for argument in node.args for part in ast.walk(argument) if isinstance(part, ast.Call)]
    return any(view.asks_at(call) and view.ask_at(call) is None for call in calls)
