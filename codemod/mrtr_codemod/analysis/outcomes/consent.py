"""Whether what an ask guards can happen without the answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.outcomes.given import given
from mrtr_codemod.analysis.outcomes.run import Budget, Given, run
from mrtr_codemod.analysis.outcomes.state import Leave, Outcome, TooManyPaths
from mrtr_codemod.analysis.outcomes.values import UNKNOWN, Answer, Const, Ending, Known, Record, truth
from mrtr_codemod.analysis.view import FunctionView, ScopeView
from mrtr_codemod.analysis.views import view_of
from mrtr_codemod.analysis.walk import Try, With
from mrtr_codemod.model import AskKind
from mrtr_codemod.names.module import ScopeId

_CONSENT = (AskKind.FORM, AskKind.URL)
_MOST_ANSWERS = 8
_MOST_WORK = 2_000_000
"""Followed for all asks of one function, in statements times what their paths carry. Past that, it is not judged."""


@dataclass(frozen=True)
class FailOpen:
    """A way past an ask: what swallows its failure, the ask, and the act that happens all the same.

    `act` is None if the function does nothing itself but returns what it returns when the user accepts. `hedged`:
    the way is open only under a condition. `overruled`: what is swallowed is the handler's own error after a refusal.
    """

    swallowed_at: Key
    ask: Key
    act: Key | None
    hedged: bool = False
    overruled: bool = False


class Consent:
    """Judges functions by what they do for each way in which an ask ends."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._answers: dict[tuple[ScopeId, Ending, Given], tuple[Known, ...] | None] = {}
        self._kinds: dict[ScopeId, frozenset[AskKind]] = {}

    def ways_past(self, view: ScopeView) -> Iterator[FailOpen]:
        """The ways in which a function does what an ask guards without its answer."""
        budget = Budget(_MOST_WORK)
        covers = [
            (node.lineno, node.end_lineno or 0) for node in view.nodes() if isinstance(node, (Try, With))
        ]
        for target in self._targets(view):
            # Nothing swallows a failure but what stands around the ask.
            covered = any(first <= target.lineno <= last for first, last in covers)
            waved = self._waved_through(view, target)
            outcomes = self._outcomes(view, target, budget) if covered or waved else None
            if outcomes is not None:
                yield from self._judge(target, outcomes, waved=waved)

    def _outcomes(self, view: ScopeView, target: ast.Call, budget: Budget) -> dict[Ending, Outcome] | None:
        try:
            return {
                ending: run(view, target, ending, partial(self._answer, view), budget) for ending in Ending
            }
        except TooManyPaths:
            return None

    def _waved_through(self, view: ScopeView, target: ast.Call) -> bool:
        """Whether it takes this call to make a yes of its helper's failed ask: by a flag, or by what it reads of it."""
        callee = self._helper(view, target)
        if callee is None:
            return False
        answers = self._returned(callee, Ending.IMPOSSIBLE, given(target, callee))
        plain = self._returned(callee, Ending.IMPOSSIBLE, ())
        return answers is not None and (
            answers != plain or any(isinstance(answer, Record) for answer in answers)
        )

    def _helper(self, view: ScopeView, call: ast.Call) -> FunctionView | None:
        edges = () if view.ask_at(call) is not None else tuple(view.edges.get(key_of(call), ()))
        found = view_of(self.analysis, edges[0].callee) if edges else None
        return found if isinstance(found, FunctionView) else None

    def _judge(self, target: ast.Call, outcomes: dict[Ending, Outcome], *, waved: bool) -> Iterator[FailOpen]:
        accepted, declined, cancelled = (
            outcomes[ending] for ending in (Ending.ACCEPT, Ending.DECLINE, Ending.CANCEL)
        )
        failed = outcomes[Ending.IMPOSSIBLE]
        guarded = accepted.acts() - (declined.acts() & cancelled.acts())
        found: dict[Key, FailOpen] = {}
        for path in failed.paths:
            state = path.state
            caught = state.caught or (key_of(target) if waved else None)
            if caught is None or state.instead:
                continue
            acts = sorted(act.key for act in state.acts if act.what in guarded)
            if acts or (
                path.leave in (Leave.RETURN, Leave.END) and _grants(path.value, accepted, declined, cancelled)
            ):
                way = FailOpen(caught, key_of(target), acts[0] if acts else None, hedged=state.hedged)
                known = found.get(caught)
                if known is None or (known.hedged and not way.hedged):
                    found[caught] = way
        for path in (*declined.paths, *cancelled.paths):
            over = path.state.overruled
            later = path.state.acts - path.state.settled
            acts = sorted(act.key for act in later if act.what in accepted.acts())
            if over is not None and acts and over not in found:
                found[over] = FailOpen(over, key_of(target), acts[0], overruled=True)
        yield from found.values()

    def _targets(self, view: ScopeView) -> list[ast.Call]:
        """The calls that ask for consent, themselves or through a helper."""
        found: list[ast.Call] = []
        for node in view.nodes():
            if isinstance(node, ast.Call) and view.asks_at(node):
                fact = view.ask_at(node)
                kinds = {fact.kind} if fact else self._kinds_below(view, key_of(node))
                if kinds & set(_CONSENT):
                    found.append(node)
        return found

    def _kinds_below(self, view: ScopeView, key: Key) -> set[AskKind | None]:
        return {kind for edge in view.edges.get(key, ()) for kind in self._kinds_of(edge.callee)}

    def _kinds_of(self, scope: ScopeId) -> frozenset[AskKind]:
        if scope not in self._kinds:
            self._kinds[scope] = frozenset()
            graph = self.analysis.graph
            own = {ask.kind for ask in graph.asks.get(scope, {}).values() if ask.kind is not None}
            below = [
                self._kinds_of(edge.callee)
                for edge in graph.edges.get(scope, ())
                if edge.callee in graph.asking
            ]
            self._kinds[scope] = frozenset(own).union(*below)
        return self._kinds[scope]

    # ------------------------------------------------------------------ what a call gives

    def _answer(self, view: ScopeView, call: ast.Call, ending: Ending) -> tuple[Known, ...] | None:
        if view.ask_at(call) is not None:
            return None if ending is Ending.IMPOSSIBLE else (Answer(ending),)
        callee = self._helper(view, call)
        if callee is None:
            return None if ending is Ending.IMPOSSIBLE and view.edges.get(key_of(call)) else (UNKNOWN,)
        return self._returned(callee, ending, given(call, callee))

    def _returned(self, helper: FunctionView, ending: Ending, known: Given) -> tuple[Known, ...] | None:
        """What a helper returns when its ask ends in one way; None if it lets the failure through."""
        key = (helper.scope, ending, known)
        if key not in self._answers:
            self._answers[key] = None if ending is Ending.IMPOSSIBLE else (UNKNOWN,)
            self._answers[key] = self._run_helper(helper, ending, known)
        return self._answers[key]

    def _run_helper(self, view: FunctionView, ending: Ending, known: Given) -> tuple[Known, ...] | None:
        impossible = ending is Ending.IMPOSSIBLE
        values: dict[Known, None] = {}
        budget = Budget(_MOST_WORK)
        for target in self._targets(view):
            try:
                outcome = run(view, target, ending, partial(self._answer, view), budget, known)
            except TooManyPaths:
                return None if impossible else (UNKNOWN,)
            if impossible and any(path.leave is Leave.RAISE and path.refused for path in outcome.paths):
                return None
            values.update(dict.fromkeys(outcome.returned()))
        return tuple(values)[:_MOST_ANSWERS] or (None if impossible else (UNKNOWN,))


def _grants(value: Known, accepted: Outcome, declined: Outcome, cancelled: Outcome) -> bool:
    """Whether a failed ask returns what an accepted one does, and a refused one does not."""
    refused = declined.returned() | cancelled.returned()
    if not isinstance(value, Const) or not value.value or value in refused:
        return False
    if value.value is True:
        may_be_true = any(truth(known) is not False for known in accepted.returned())
        return may_be_true and bool(refused) and all(truth(known) is False for known in refused)
    return value in accepted.returned()
