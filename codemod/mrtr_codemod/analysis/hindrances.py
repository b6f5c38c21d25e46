"""What keeps a function that asks from being rewritten, and what makes a rewrite need a look."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mrtr_codemod.analysis.around import items_around, tries_around
from mrtr_codemod.analysis.asks import Spelling
from mrtr_codemod.analysis.calls import key_of, own_nodes
from mrtr_codemod.analysis.decorating import changes_result, is_known_decorator, uncalled
from mrtr_codemod.analysis.live import live_across
from mrtr_codemod.analysis.portable import hindrance
from mrtr_codemod.analysis.sensitive import is_secret
from mrtr_codemod.analysis.view import FunctionView, ScopeView
from mrtr_codemod.analysis.walk import COMPREHENSIONS, Loop, Try, caught_names, last_name
from mrtr_codemod.names.outline import FunctionNode
from mrtr_codemod.names.values import FunctionValue

_EXITS = (ast.Return, ast.Break, ast.Continue)
_BROAD = frozenset({"Exception", "BaseException", "MCPError", "McpError", "NoBackChannelError", "ToolError"})


def hindrances(view: FunctionView) -> Iterator[str]:
    """Why the asks of a function, or its calls that lead to asks, cannot be turned into steps by a tool."""
    if any(fact.spelling in (Spelling.DYNAMIC, Spelling.VALUE) for fact in view.asks.values()):
        yield "one of its asks cannot be followed"
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in view.nodes()):
        yield "it is a generator"
    around = next((statement for _, statement in items_around(view)), None)
    if around is not None:
        yield f"the `with` on line {around.lineno} is around an ask"
    yield from _places(view)
    yield from _at_ends(view)
    yield from _dependencies(view)
    yield from _decorators(view)
    yield from _session_state(view)
    for statement, locals_ in live_across(view):
        for local in locals_:
            needed = f"`{local.name}` is needed after line {statement.lineno}"
            if is_secret(local.name):
                yield f"{needed}, and a secret must not travel through the client"
            elif reason := hindrance(view, local):
                yield f"{needed}, and JSON cannot carry {reason}"


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
    yield from _wide_tries(view)
    for called in map(uncalled, view.node.decorator_list):
        if any(not is_known_decorator(origin) for origin in view.file.externals(called, view.info.parent)):
            yield f"what the decorator `{ast.unparse(called)}` makes of a question is not known"
    if any(fact.spelling is Spelling.RAISE for fact in view.asks.values()):
        yield "it raises UrlElicitationRequiredError"


def _wide_tries(view: ScopeView) -> Iterator[str]:
    """A `try` around more than the ask: its `except` goes on covering the rest, its `finally` waits for the end."""
    effects = view.file.analysis.effects
    for node in tries_around(view):
        if any(effects.of(inner, view.scope) for inner in own_nodes(ast.Module(node.finalbody, []))):
            yield f"the `finally` of the `try` on line {node.lineno} runs at the end of the call only"
        covered = own_nodes(ast.Module(node.body, []))
        if node.handlers and any(effects.of(i, view.scope) for i in covered if not view.asks_at(i)):
            yield f"the `except` of the `try` on line {node.lineno} covers more than the ask"


def _places(view: ScopeView) -> Iterator[str]:
    """Asks in the middle of something that can't be stopped there."""
    together = {
        argument.value
        for node in view.nodes()
        if isinstance(node, ast.Call) and last_name(node) == "gather"
        for argument in node.args
        if isinstance(argument, ast.Starred)
    }
    for node in view.nodes():
        if (
            isinstance(node, COMPREHENSIONS)
            and node not in together
            and view.asks_in(node)
            and not _asks_outside(view, node)
        ):
            yield f"it asks for each element of the comprehension on line {node.lineno}"
        elif isinstance(node, ast.Lambda) and view.asks_in(node.body):
            yield f"the lambda on line {node.lineno} asks"
        elif isinstance(node, ast.AsyncFor) and any(view.asks_in(statement) for statement in node.body):
            yield f"it asks in the `async for` on line {node.lineno}"
        elif isinstance(node, ast.Call) and _gathers_helpers(view, node):
            yield f"the helpers gathered on line {node.lineno} ask at the same time"


def _at_ends(view: ScopeView) -> Iterator[str]:
    """Asks, and exits that swallow an ask, in the parts of a `try` that run when something is ending."""
    around = set(tries_around(view))
    for node in view.nodes():
        if not isinstance(node, Try):
            continue
        last = ast.Module(node.finalbody, [])
        if any(view.asks_in(part) for part in [*node.handlers, *node.finalbody]):
            yield f"it asks in an `except` or `finally` of the `try` on line {node.lineno}"
        elif node in around and any(isinstance(n, _EXITS) for n in own_nodes(last)):
            yield f"the `finally` of the `try` on line {node.lineno} leaves it, whatever has happened"


def _dependencies(view: FunctionView) -> Iterator[str]:
    """Parameters that the framework fills by a function which asks."""
    arguments = view.node.args
    for default in [*arguments.defaults, *filter(None, arguments.kw_defaults)]:
        for node in ast.walk(default):
            for value in view.file.values(node, view.scope) if isinstance(node, ast.Name) else ():
                if isinstance(value, FunctionValue) and value.scope in view.file.analysis.graph.asking:
                    yield f"`{value.scope.display}` asks, and fills one of its parameters"


def _decorators(view: FunctionView) -> Iterator[str]:
    """Decorators that a question would not get through."""
    for called in map(uncalled, view.node.decorator_list):
        for value in view.file.values(called, view.info.parent):
            node = view.file.analysis.project.node(value.scope) if isinstance(value, FunctionValue) else None
            if isinstance(node, FunctionNode) and changes_result(node):
                yield f"the decorator `{ast.unparse(called)}` does not hand on what it gets as it is"


def _session_state(view: FunctionView) -> Iterator[str]:
    """What FastMCP keeps for a session may not be there in the request of the next round."""
    calls = {last_name(node): node.lineno for node in view.nodes() if isinstance(node, ast.Call)}
    asks = [key[0] for key in view.asks]
    if asks and calls.get("set_state", max(asks)) < min(asks) and calls.get("get_state", 0) > min(asks):
        yield f"what `set_state` on line {calls['set_state']} keeps may not be there in another round"


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
