"""What the four rules that report asks have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.asks import AskFact, Spelling
from mrtr_codemod.model import AskKind, Finding

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView, ScopeView
    from mrtr_codemod.rules.base import Rule

_FOLLOWED = (Spelling.CALL, Spelling.RUNNER)


def report_asks(rule: Rule, view: FileView, kind: AskKind, words: str) -> Iterator[Finding]:
    """A finding for each ask of a kind that stands where a round may end, or in a helper."""
    for scope in view.asking:
        for key, fact in scope.asks.items():
            if fact.kind is kind and fact.spelling in _FOLLOWED and not out_of_round(scope):
                yield view.finding(rule, key, message(scope, fact, words), scope=scope.scope)


def out_of_round(scope: ScopeView) -> bool:
    """Whether a function is an entry point where no round can end: a rule of its own says so."""
    entries = scope.file.analysis.graph.entries.get(scope.scope, ())
    return bool(entries) and not any(entry.can_ask for entry in entries)


def message(scope: ScopeView, fact: AskFact, words: str) -> str:
    """What is asked, and on whose way."""
    entries = scope.file.analysis.reached_from.get(scope.scope, ())
    names = sorted({entry.scope.display for entry in entries if entry.scope != scope.scope})
    suffix = ""
    if names:
        shown = ", ".join(f"`{name}`" for name in names[:3])
        suffix = f" (reached from {shown}{f' and {len(names) - 3} more' if len(names) > 3 else ''})"
    call = fact.name.replace("()", "")
    return f"`{call}` {words} in mid-call, which 2026-07-28 has no channel for{suffix}"
