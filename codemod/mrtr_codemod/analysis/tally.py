"""The rounds of a handler, helpers included."""

from __future__ import annotations

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.callgraph import Edge
from mrtr_codemod.analysis.rounds import UNBOUNDED, RoundCounter
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.views import view_of
from mrtr_codemod.names.module import ScopeId


class Tally:
    """Counts the rounds of functions across files."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._known: dict[ScopeId, float] = {}

    def rounds(self, scope: ScopeId) -> float:
        """The most rounds that a call of a function may take, `UNBOUNDED` if there is no such number."""
        if scope not in self._known:
            self._known[scope] = UNBOUNDED  # until known: a function that calls itself has no bound
            view = view_of(self.analysis, scope)
            self._known[scope] = self._count(view) if view is not None else 1
        return self._known[scope]

    def _count(self, view: ScopeView) -> float:
        def of_callee(edge: Edge) -> float:
            return self.rounds(edge.callee)

        return RoundCounter(view, of_callee).count()
