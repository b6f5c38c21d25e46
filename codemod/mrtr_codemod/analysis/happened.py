"""Which effects may have happened before each ask of a function, on some path that reaches it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.effects import Effect
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import Definition, Loop, Try, With, evaluated, expressions_of

State = frozenset[tuple[Key, Effect]]
Maybe = State | None
"""None where control never comes."""
_NOTHING: State = frozenset()


@dataclass
class _Loop:
    """Where `break` and `continue` of a loop lead."""

    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


def effects_above(view: ScopeView) -> dict[Key, State]:
    """For each call that asks, or leads to an ask, the effects that may have happened when control comes to it.

    A path that ends after an effect does not count. In a loop, what follows an ask is above it the next time.
    """
    walk = _Walk(view)
    walk.block(view.body, _NOTHING)
    return walk.above


class _Walk:
    def __init__(self, view: ScopeView) -> None:
        self.view = view
        self.effects = view.file.analysis.effects
        self.above: dict[Key, State] = {}
        self.loops: list[_Loop] = []
        self.reached: list[set[tuple[Key, Effect]]] = []
        """For each `try` around, all effects that happen inside its body."""

    def block(self, body: list[ast.stmt], state: Maybe) -> Maybe:
        for statement in body:
            if state is None:
                return None
            state = self.statement(statement, state)
        return state

    def statement(self, node: ast.stmt, state: State) -> Maybe:
        if isinstance(node, Definition):
            return state
        for expression in expressions_of(node):
            state = self.expression(expression, state)
        if not (isinstance(node, ast.Expr) and self.view.asks_in(node)):
            state = self._add(node, state)
        if isinstance(node, ast.If):
            return _join(self.block(node.body, state), self.block(node.orelse, state))
        if isinstance(node, Loop):
            return self._loop(node, state)
        if isinstance(node, With):
            return self.block(node.body, state)
        if isinstance(node, Try):
            return self._try(node, state)
        if isinstance(node, ast.Match):
            return _join(state, *(self.block(case.body, state) for case in node.cases))
        return self._leave(node, state)

    def expression(self, node: ast.expr, state: State) -> State:
        for part in evaluated(node):
            if isinstance(part, ast.Call) and self.view.asks_at(part):
                key = key_of(part)
                self.above[key] = self.above.get(key, _NOTHING) | state
            if isinstance(part, (ast.Call, ast.Await)) and not self._is_ask(part):
                state = self._add(part, state)
        return state

    def _is_ask(self, node: ast.Call | ast.Await) -> bool:
        return self.view.ask_at(node.value if isinstance(node, ast.Await) else node) is not None

    def _add(self, node: ast.AST, state: State) -> State:
        effect = self.effects.of(node, self.view.scope)
        if effect is None:
            return state
        entry = (key_of(node), effect)
        for inside in self.reached:
            inside.add(entry)
        return state | {entry}

    def _leave(self, node: ast.stmt, state: State) -> Maybe:
        if isinstance(node, ast.Raise) and self.view.asks_at(node):
            key = key_of(node)
            self.above[key] = self.above.get(key, _NOTHING) | state
        if isinstance(node, (ast.Return, ast.Raise)):
            return None
        if isinstance(node, (ast.Break, ast.Continue)) and self.loops:
            where = self.loops[-1].breaks if isinstance(node, ast.Break) else self.loops[-1].continues
            where.append(state)
            return None
        return state

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> Maybe:
        endless = (
            isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        )
        exits: Maybe = None
        for _ in range(2):  # the second time sees what the first one did
            loop = _Loop()
            self.loops.append(loop)
            end = self.block(node.body, state)
            self.loops.pop()
            again = _join(end, *loop.continues)
            exits = _join(exits, *loop.breaks)
            state = state if again is None else state | again
            if isinstance(node, ast.While):
                state = self.expression(node.test, state)
        after = None if endless else self.block(node.orelse, state)
        return _join(exits, after)

    def _try(self, node: ast.Try, state: State) -> Maybe:
        inside: set[tuple[Key, Effect]] = set(state)
        self.reached.append(inside)
        end = self.block(node.body, state)
        self.reached.pop()
        end = self.block(node.orelse, end)
        failed = frozenset(inside)
        ends = [end, *(self.block(handler.body, failed) for handler in node.handlers)]
        joined = _join(*ends)
        if not node.finalbody:
            return joined
        after = self.block(node.finalbody, joined if joined is not None else failed)
        return after if joined is not None else None


def _join(*states: Maybe) -> Maybe:
    found = [state for state in states if state is not None]
    return frozenset().union(*found) if found else None
