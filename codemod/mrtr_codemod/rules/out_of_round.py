"""What the rules for asks outside of a round have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.entries import EntryFact
from mrtr_codemod.model import Finding

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView
    from mrtr_codemod.rules.base import Rule


def report_asks_of(
    rule: Rule, view: FileView, concerns: Callable[[EntryFact], bool], where: str
) -> Iterator[Finding]:
    """A finding for each ask, or call that leads to one, in the entry points that a rule is about."""
    for scope in view.asking:
        entries = view.analysis.graph.entries.get(scope.scope, ())
        if any(entry.can_ask for entry in entries):
            continue
        entry = next((entry for entry in entries if concerns(entry)), None)
        if entry is None:
            continue
        text = f"an ask in {where.format(method=entry.method)}: no round can end here, so it can never be answered"
        for key in sorted({*scope.asks, *scope.edges}):
            yield view.finding(rule, key, text, scope=scope.scope)
