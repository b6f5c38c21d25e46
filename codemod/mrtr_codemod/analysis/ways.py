"""The asks of a handler, and the way to each of them through its helpers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.asks import AskFact
from mrtr_codemod.analysis.callgraph import Edge
from mrtr_codemod.names.module import ScopeId

_DEEPEST = 12
_MOST = 60
"""Ways listed of one handler; more tell nothing new."""


@dataclass(frozen=True)
class Way:
    """An ask, the function that it stands in, and the calls that lead there from the handler, outermost first."""

    ask: AskFact
    scope: ScopeId
    via: tuple[Edge, ...]


def ways_from(analysis: Analysis, handler: ScopeId) -> list[Way]:
    """All ways from a handler to an ask, in the order of the calls."""
    found: list[Way] = []
    for way in _ways(analysis, handler, ()):
        found.append(way)
        if len(found) == _MOST:
            break
    return found


def _ways(analysis: Analysis, scope: ScopeId, via: tuple[Edge, ...]) -> Iterator[Way]:
    graph = analysis.graph
    own: list[tuple[tuple[int, ...], Way | Edge]] = [
        (key, Way(ask, scope, via)) for key, ask in graph.asks.get(scope, {}).items()
    ]
    own += [(edge.key, edge) for edge in graph.edges.get(scope, ()) if edge.callee in graph.asking]
    visited = {scope, *(edge.caller for edge in via)}
    for _, step in sorted(own, key=lambda item: item[0]):
        if isinstance(step, Way):
            yield step
        elif step.callee not in visited and len(via) < _DEEPEST:
            yield from _ways(analysis, step.callee, (*via, step))
