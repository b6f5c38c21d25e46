"""Which locals are still needed after a statement, and which are surely bound before it.

Liveness is a backward may-analysis over the statement tree: a loop is repeated to a fixpoint, and inside a `try`
every statement may also continue in a handler or in the `finally`. It errs on the side of "live". Definite
assignment is its forward must-twin; it errs on the side of "maybe unbound".
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .scope import FunctionNode, captured_names, function_locals, names_in, parameters

Live = frozenset[str]
NOTHING: Live = frozenset()


@dataclass(frozen=True)
class _Exits:
    """What is live where control goes when it leaves a statement otherwise than at its end."""

    on_return: Live = NOTHING
    on_break: Live = NOTHING
    on_continue: Live = NOTHING
    on_error: Live = NOTHING


@dataclass
class Liveness:
    """Live locals of one function, by statement."""

    before: dict[ast.stmt, Live] = field(default_factory=dict)
    after: dict[ast.stmt, Live] = field(default_factory=dict)


def live_locals(function: FunctionNode) -> Liveness:
    """Live locals before and after each statement of `function` (nested functions are not entered)."""
    analysis = _Backward(frozenset(function_locals(function)), frozenset(captured_names(function)))
    analysis.block(function.body, NOTHING, _Exits())
    return analysis.result


class _Backward:
    def __init__(self, local: Live, captured: Live) -> None:
        self.local = local
        self.captured = captured  # a closure may read these whenever it is called
        self.result = Liveness()
        self.heads: dict[ast.stmt, Live] = {}
        """What is live at the head of a loop. It only grows, so a loop in a loop goes on from what it had."""

    def block(self, body: list[ast.stmt], after: Live, exits: _Exits) -> Live:
        for stmt in reversed(body):
            self.result.after[stmt] = after | self.captured
            after = self.statement(stmt, after, exits) | exits.on_error
            self.result.before[stmt] = after | self.captured
        return after

    def statement(self, stmt: ast.stmt, after: Live, exits: _Exits) -> Live:
        match stmt:
            case ast.Return() | ast.Raise():
                return self._simple(stmt, exits.on_return if isinstance(stmt, ast.Return) else exits.on_error)
            case ast.Break():
                return exits.on_break
            case ast.Continue():
                return exits.on_continue
            case ast.If():
                branches = self.block(stmt.body, after, exits) | self.block(stmt.orelse, after, exits)
                return self._through(branches, stmt.test)
            case ast.While():
                return self._while(stmt, after, exits)
            case ast.For() | ast.AsyncFor():
                return self._for(stmt, after, exits)
            case ast.Try():
                return self._try(stmt, after, exits)
            case ast.With() | ast.AsyncWith():
                # A context manager may swallow what its body raises and go on after it.
                inside = replace(exits, on_error=exits.on_error | after)
                body = self.block(stmt.body, after, inside)
                for item in reversed(stmt.items):
                    body = self._through(body, *filter(None, [item.context_expr, item.optional_vars]))
                return body
            case ast.Match():
                return self._match(stmt, after, exits)
            case _ if type(stmt).__name__ == "TryStar":
                return self._try(stmt, after, exits)  # type: ignore[arg-type]
            case _:
                return self._simple(stmt, after)

    def _simple(self, stmt: ast.stmt, after: Live) -> Live:
        return self._through(after, stmt)

    def _through(self, after: Live, *nodes: ast.AST) -> Live:
        names = names_in(*nodes)
        return (after - names.binds) | (names.reads & self.local)

    def _while(self, stmt: ast.While, after: Live, exits: _Exits) -> Live:
        endless = isinstance(stmt.test, ast.Constant) and bool(stmt.test.value)
        done = NOTHING if endless else self.block(stmt.orelse, after, exits)
        if endless:
            self.block(stmt.orelse, after, exits)
        head = self.heads.get(stmt, NOTHING)
        while True:
            inside = replace(exits, on_break=after, on_continue=head)
            body = self.block(stmt.body, head, inside)
            grown = head | self._through(body | done, stmt.test) | exits.on_error
            if grown == head:
                return head
            head = self.heads[stmt] = grown

    def _for(self, stmt: ast.For | ast.AsyncFor, after: Live, exits: _Exits) -> Live:
        done = self.block(stmt.orelse, after, exits)
        head = self.heads.get(stmt, NOTHING)
        while True:
            inside = replace(exits, on_break=after, on_continue=head)
            body = self._through(self.block(stmt.body, head, inside), stmt.target)
            grown = head | body | done | exits.on_error
            if grown == head:
                return self._through(head, stmt.iter)
            head = self.heads[stmt] = grown

    def _try(self, stmt: ast.Try, after: Live, exits: _Exits) -> Live:
        if stmt.finalbody:
            leaving = exits.on_return | exits.on_break | exits.on_continue | exits.on_error
            after = self.block(stmt.finalbody, after | leaving, exits)
            exits = _Exits(after, after, after, after)
        caught = exits.on_error
        for handler in stmt.handlers:
            live = self.block(handler.body, after, exits)
            live -= {handler.name} if handler.name else set()
            caught |= self._through(live, handler.type) if handler.type else live
        orelse = self.block(stmt.orelse, after, exits)
        return self.block(stmt.body, orelse, replace(exits, on_error=caught))

    def _match(self, stmt: ast.Match, after: Live, exits: _Exits) -> Live:
        live = after
        for case in reversed(stmt.cases):
            body = self.block(case.body, after, exits)
            if case.guard is not None:
                body = self._through(body | live, case.guard)
            matched = body - names_in(case.pattern).binds
            live = live | matched | (names_in(case.pattern).reads & self.local)
        return self._through(live, stmt.subject)


Bound = frozenset[str] | None
"""Names that are surely bound; None where control never comes."""


def surely_bound(
    function: FunctionNode, exhaustive: Callable[[ast.Match], bool] = lambda match: False
) -> dict[ast.stmt, Live]:
    """The locals that are bound on every path to each statement. Statements that are never reached are left out.

    `exhaustive` tells a `match` of which some case always fits, though none is a plain name.
    """
    analysis = _Forward(exhaustive)
    analysis.block(function.body, frozenset(a.arg for a in parameters(function)))
    return analysis.before


def _meet(*states: Bound) -> Bound:
    reached = [s for s in states if s is not None]
    return frozenset.intersection(*reached) if reached else None


class _Forward:
    def __init__(self, exhaustive: Callable[[ast.Match], bool]) -> None:
        self.exhaustive = exhaustive
        self.before: dict[ast.stmt, Live] = {}
        self.loops: list[list[Bound]] = []

    def block(self, body: list[ast.stmt], state: Bound) -> Bound:
        for stmt in body:
            if state is not None:
                self.before[stmt] = state
                state = self.statement(stmt, state)
        return state

    def statement(self, stmt: ast.stmt, state: Live) -> Bound:
        match stmt:
            case ast.Return() | ast.Raise() | ast.Continue():
                return None
            case ast.Break():
                self.loops[-1].append(state)
                return None
            case ast.If():
                state = self._bind(state, stmt.test)
                return _meet(self.block(stmt.body, state), self.block(stmt.orelse, state))
            case ast.While() | ast.For() | ast.AsyncFor():
                return self._loop(stmt, state)
            case ast.Try():
                return self._try(stmt, state)
            case ast.With() | ast.AsyncWith():
                for item in stmt.items:
                    state = self._bind(state, *filter(None, [item.context_expr, item.optional_vars]))
                # The body may have been left early by an exception that the context manager swallowed.
                self.block(stmt.body, state)
                return state if _may_swallow(stmt) else self.block(stmt.body, state)
            case ast.Match():
                return self._match(stmt, state)
            case _ if type(stmt).__name__ == "TryStar":
                return self._try(stmt, state)  # type: ignore[arg-type]
            case _:
                return self._bind(state, stmt)

    def _bind(self, state: Live, *nodes: ast.AST) -> Live:
        names = names_in(*nodes)
        walrus = {n.target.id for node in nodes for n in _conditional_walrus(node)}
        return (state | (names.binds - walrus)) - names.deletes

    def _loop(self, stmt: ast.While | ast.For | ast.AsyncFor, state: Live) -> Bound:
        endless = (
            isinstance(stmt, ast.While) and isinstance(stmt.test, ast.Constant) and bool(stmt.test.value)
        )
        state = self._bind(state, stmt.test if isinstance(stmt, ast.While) else stmt.iter)
        self.loops.append([])
        inside = state if isinstance(stmt, ast.While) else self._bind(state, stmt.target)
        deleted = {name for s in stmt.body for name in names_in(s).deletes}
        self.block(stmt.body, inside - deleted)
        breaks = self.loops.pop()
        exhausted = None if endless else self.block(stmt.orelse, state - deleted)
        return _meet(exhausted, *breaks)

    def _try(self, stmt: ast.Try, state: Live) -> Bound:
        ends = [
            self.block(stmt.orelse, after) if (after := self.block(stmt.body, state)) is not None else None
        ]
        at_handler = state - {name for s in stmt.body for name in names_in(s).deletes}
        for handler in stmt.handlers:
            caught = at_handler | {handler.name} if handler.name else at_handler
            end = self.block(handler.body, caught)
            ends.append(end - {handler.name} if end is not None and handler.name else end)
        merged = _meet(*ends)
        if not stmt.finalbody:
            return merged
        entering = at_handler if merged is None else merged & at_handler
        final = self.block(stmt.finalbody, entering)
        return None if merged is None or final is None else merged | final

    def _match(self, stmt: ast.Match, state: Live) -> Bound:
        state = self._bind(state, stmt.subject)
        ends: list[Bound] = []
        for case in stmt.cases:
            matched = state | names_in(case.pattern).binds
            if case.guard is not None:
                matched = self._bind(matched, case.guard)
            ends.append(self.block(case.body, matched))
        last = stmt.cases[-1]
        catches_all = (
            isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        )
        if not catches_all and not self.exhaustive(stmt):
            ends.append(state)
        return _meet(*ends)


def _may_swallow(stmt: ast.With | ast.AsyncWith) -> bool:
    """False for the context managers that everybody knows to let exceptions through."""
    harmless = {"open", "Lock", "lock", "closing", "TemporaryDirectory", "NamedTemporaryFile"}
    for item in stmt.items:
        expr = item.context_expr
        called = expr.func if isinstance(expr, ast.Call) else expr
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name.lstrip("_") not in harmless:
            return True
    return False


def _conditional_walrus(node: ast.AST) -> list[ast.NamedExpr]:
    """Walrus targets that are not bound on every evaluation of `node`."""
    found = []
    for part in ast.walk(node):
        later: list[ast.AST] = []
        if isinstance(part, ast.BoolOp):
            later = list(part.values[1:])
        elif isinstance(part, ast.IfExp):
            later = [part.body, part.orelse]
        elif isinstance(part, ast.Compare):
            later = list(part.comparators[1:])
        elif isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            later = [part]
        found += [n for piece in later for n in ast.walk(piece) if isinstance(n, ast.NamedExpr)]
    return found
