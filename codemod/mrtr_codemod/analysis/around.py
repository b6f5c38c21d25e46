"""The statements that an ask stands in: `with`, `try`, and calls that limit its time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import Try, With, last_name

TIMERS = frozenset(
    {"move_on_after", "move_on_at", "fail_after", "fail_at", "timeout", "timeout_at", "wait_for"}
)
"""Names in `anyio`, `asyncio` and `async_timeout` that limit how long something may take."""


def tries_around(view: ScopeView) -> Iterator[ast.Try]:
    """The `try` statements with an ask in their body."""
    for node in view.nodes():
        if isinstance(node, Try) and any(view.asks_in(statement) for statement in node.body):
            yield node


def items_around(view: ScopeView) -> Iterator[tuple[ast.withitem, ast.With | ast.AsyncWith]]:
    """The items of `with` statements with an ask in their body."""
    for node in view.nodes():
        if isinstance(node, With) and any(view.asks_in(statement) for statement in node.body):
            for item in node.items:
                yield item, node


def timed(view: ScopeView) -> Iterator[tuple[ast.expr, ast.AST]]:
    """What limits the time of an ask: the limiting call, and the ask or the `with` around it."""
    for item, statement in items_around(view):
        if last_name(item.context_expr) in TIMERS and isinstance(item.context_expr, ast.Call):
            yield item.context_expr, statement
    for node in view.nodes():
        if (
            isinstance(node, ast.Call)
            and last_name(node) == "wait_for"
            and any(view.asks_in(a) for a in node.args)
        ):
            yield node, node
        elif isinstance(node, ast.Call) and view.ask_at(node):
            for keyword in node.keywords:
                if keyword.arg in ("request_read_timeout_seconds", "read_timeout_seconds", "timeout"):
                    yield node, node


def first_ask(view: ScopeView, *nodes: ast.AST) -> Key:
    """The first call below some nodes that asks; the first of the nodes if there is none."""
    return min((key for node in nodes if (key := view.first_ask(node))), default=key_of(nodes[0]))
