"""What may have come before each ask of a function, on some path that reaches it."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import Definition, Loop, Try, With, evaluated, expressions_of

Fact = TypeVar("Fact", bound=Hashable)
State: TypeAlias = frozenset[Fact]
Maybe: TypeAlias = "frozenset[Fact] | None"
"""None where control never comes."""


@dataclass
class _Loop(Generic[Fact]):
    """Where `break` and `continue` of a loop lead."""

    breaks: list[State[Fact]] = field(default_factory=list)
    continues: list[State[Fact]] = field(default_factory=list)


class Paths(ABC, Generic[Fact]):
    """Follows the paths through a function, with what is true on each of them.

    A path that ends does not count for what stands below it. In a loop, what follows an ask is above it the next
    time.
    """

    def __init__(self, view: ScopeView) -> None:
        self.view = view
        self.above: dict[Key, State[Fact]] = {}
        """For each call that asks, or leads to an ask, what may be true when control comes to it."""
        self._loops: list[_Loop[Fact]] = []
        self._reached: list[set[Fact]] = []
        """For each `try` around, all that becomes true inside its body."""
        self._block(view.body, frozenset())

    @abstractmethod
    def after(self, node: ast.AST, state: State[Fact]) -> State[Fact]:
        """What is true when a call, an `await` or a simple statement has run (without what stands inside it)."""

    def entering(self, test: ast.expr, state: State[Fact], *, outcome: bool) -> State[Fact]:
        """What is true where a test had an outcome, given what is true after it."""
        return state

    def _block(self, body: list[ast.stmt], state: Maybe[Fact]) -> Maybe[Fact]:
        for statement in body:
            if state is None:
                return None
            state = self._statement(statement, state)
        return state

    def _statement(self, node: ast.stmt, state: State[Fact]) -> Maybe[Fact]:
        if isinstance(node, Definition):
            return state
        for expression in expressions_of(node):
            state = self._expression(expression, state)
        if not (isinstance(node, ast.Expr) and self.view.asks_in(node)):
            state = self._add(node, state)
        if isinstance(node, ast.If):
            return _join(
                self._block(node.body, self.entering(node.test, state, outcome=True)),
                self._block(node.orelse, self.entering(node.test, state, outcome=False)),
            )
        if isinstance(node, Loop):
            return self._loop(node, state)
        if isinstance(node, With):
            return self._block(node.body, state)
        if isinstance(node, Try):
            return self._try(node, state)
        if isinstance(node, ast.Match):
            return _join(state, *(self._block(case.body, state) for case in node.cases))
        return self._leave(node, state)

    def _expression(self, node: ast.expr, state: State[Fact]) -> State[Fact]:
        for part in evaluated(node):
            if isinstance(part, ast.Call) and self.view.asks_at(part):
                key = key_of(part)
                self.above[key] = self.above.get(key, frozenset()) | state
            if isinstance(part, (ast.Call, ast.Await)) and not self._is_ask(part):
                state = self._add(part, state)
        return state

    def _is_ask(self, node: ast.Call | ast.Await) -> bool:
        return self.view.ask_at(node.value if isinstance(node, ast.Await) else node) is not None

    def _add(self, node: ast.AST, state: State[Fact]) -> State[Fact]:
        found = self.after(node, state)
        if found is not state:
            for inside in self._reached:
                inside.update(found - state)
        return found

    def _leave(self, node: ast.stmt, state: State[Fact]) -> Maybe[Fact]:
        if isinstance(node, ast.Raise) and self.view.asks_at(node):
            key = key_of(node)
            self.above[key] = self.above.get(key, frozenset()) | state
        if isinstance(node, (ast.Return, ast.Raise)):
            return None
        if isinstance(node, (ast.Break, ast.Continue)) and self._loops:
            where = self._loops[-1].breaks if isinstance(node, ast.Break) else self._loops[-1].continues
            where.append(state)
            return None
        return state

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State[Fact]) -> Maybe[Fact]:
        endless = (
            isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        )
        exits: Maybe[Fact] = None
        for _ in range(2):  # the second time sees what the first one did
            loop: _Loop[Fact] = _Loop()
            self._loops.append(loop)
            end = self._block(node.body, state)
            self._loops.pop()
            again = _join(end, *loop.continues)
            exits = _join(exits, *loop.breaks)
            before = state
            state = state if again is None else state | again
            if isinstance(node, ast.While):
                state = self._expression(node.test, state)
            if state == before:
                break
        after = None if endless else self._block(node.orelse, state)
        return _join(exits, after)

    def _try(self, node: ast.Try, state: State[Fact]) -> Maybe[Fact]:
        inside: set[Fact] = set(state)
        self._reached.append(inside)
        end = self._block(node.body, state)
        self._reached.pop()
        end = self._block(node.orelse, end)
        failed = frozenset(inside)
        ends = [end, *(self._block(handler.body, failed) for handler in node.handlers)]
        joined = _join(*ends)
        if not node.finalbody:
            return joined
        after = self._block(node.finalbody, joined if joined is not None else failed)
        return after if joined is not None else None


def _join(*states: Maybe[Fact]) -> Maybe[Fact]:
    found = [state for state in states if state is not None]
    return frozenset().union(*found) if found else None
