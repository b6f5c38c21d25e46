"""What a function gives: what its annotation says, or where there is none, what all of its returns do."""

from __future__ import annotations

import ast
from contextvars import ContextVar

from ..facts import Facts, FunctionNode
from ..flow.scope import walk_scope
from .model import NONE, Type, returned_type, union

_busy: ContextVar[frozenset[FunctionNode]] = ContextVar("_busy", default=frozenset())
"""Functions whose returns are being looked at: one that calls itself says nothing new."""
_DEEPEST = 4


def result_of(function: FunctionNode, facts: Facts, owner: str = "") -> Type | None:
    """The type of what a function of a file gives once it is awaited, if that can be told; `owner` is its class."""
    if function.returns is not None:
        return returned_type(function, facts)
    busy = _busy.get()
    if function in busy or len(busy) >= _DEEPEST or function.decorator_list:
        return None
    token = _busy.set(busy | {function})
    try:
        return _of_returns(function, facts, owner or None)
    finally:
        _busy.reset(token)


def _of_returns(function: FunctionNode, facts: Facts, owner: str | None) -> Type | None:
    from .infer import Inference
    from .local import local_types

    inside = [node for stmt in function.body for node in walk_scope(stmt)]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside):
        return None
    infer = Inference(facts, local_types(function, facts, {}, owner), owner)
    returns = [node for node in inside if isinstance(node, ast.Return)]
    found = [NONE if node.value is None else infer(node.value) for node in returns]
    if not isinstance(function.body[-1], (ast.Return, ast.Raise)):
        found.append(NONE)
    known = [t for t in found if t is not None]
    return union(*known) if len(known) == len(found) else None
