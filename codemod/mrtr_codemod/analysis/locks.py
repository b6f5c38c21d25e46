"""Locks and other things that a function has acquired, by hand and not with `with`, when it comes to an ask."""

from __future__ import annotations

import ast
from typing import NamedTuple

from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.held import held_object
from mrtr_codemod.analysis.paths import Paths, State
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.names.reference import Ref, lower

_ACQUIRE = frozenset({"acquire", "acquire_nowait"})


class Acquired(NamedTuple):
    """Something that was acquired: by which call, from what, and what it is (`a lock`)."""

    key: Key
    owner: Ref
    what: str


def acquired_above(view: ScopeView) -> dict[Key, State[Acquired]]:
    """For each call that asks, or leads to an ask, what may be acquired and not released when control comes to it."""
    return _Acquisitions(view).above


class _Acquisitions(Paths[Acquired]):
    def after(self, node: ast.AST, state: State[Acquired]) -> State[Acquired]:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return state
        owner = lower(node.func.value)
        if owner is None:
            return state
        if node.func.attr == "release":
            return self._without(owner, state)
        what = held_object(self.view, node.func.value) if node.func.attr in _ACQUIRE else None
        return state if what is None else state | {Acquired(key_of(node), owner, what)}

    def entering(self, test: ast.expr, state: State[Acquired], *, outcome: bool) -> State[Acquired]:
        """`if not lock.acquire(blocking=False):` holds nothing in its body."""
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, outcome = test.operand, not outcome
        if isinstance(test, ast.Await):
            test = test.value
        if outcome or not (isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute)):
            return state
        owner = lower(test.func.value)
        return self._without(owner, state) if owner and test.func.attr in _ACQUIRE else state

    @staticmethod
    def _without(owner: Ref, state: State[Acquired]) -> State[Acquired]:
        return frozenset(acquired for acquired in state if acquired.owner != owner)
