"""Which way to take for a handler."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from mrtr_codemod.analysis.analysis import Analysis, EntryPoint
from mrtr_codemod.analysis.callgraph import EdgeKind
from mrtr_codemod.analysis.calls import key_of
from mrtr_codemod.analysis.hindrances import cautions, hindrances
from mrtr_codemod.analysis.pure import Purity
from mrtr_codemod.analysis.view import FunctionView
from mrtr_codemod.analysis.views import view_of
from mrtr_codemod.analysis.ways import Way
from mrtr_codemod.foresight import Foreseen, lost_in
from mrtr_codemod.model import AskKind, Finding, Verdict
from mrtr_codemod.model import Level as Severity
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.rewrite.verdicts import GONE_FROM_SDK, HandlerVerdict, Level

_REPEATED = ("MRTR301", "MRTR302")
_STRANDED = ("MRTR115", "MRTR123")
_TIMED = "MRTR308"
_SAFE = "one round, and nothing above its question that matters when it runs again"


@dataclass(frozen=True)
class Case:
    """What a verdict rests on: a handler, its ways to asks, the hazards on them, and how many rounds it takes."""

    entry: EntryPoint
    ways: Sequence[Way]
    hazards: Sequence[Finding]
    rounds: float


class Judge:
    """Gives the verdicts of one analysis."""

    def __init__(self, analysis: Analysis, foreseen: Foreseen | None) -> None:
        self.analysis = analysis
        self.foreseen = foreseen
        self.purity = Purity(analysis)
        self._lost = cache(lambda path: lost_in(analysis.project.sources[path]))
        self._middleware = {
            e.scope.path: e.scope for e in analysis.entry_points if e.fact.method == "middleware"
        }
        """One that asks, by the file that it is in."""

    def verdict(self, case: Case) -> tuple[Verdict, str]:
        """The way to take and the reason for it."""
        if not case.entry.fact.can_ask:
            return Verdict.BY_HAND, f"no round can end in `{case.entry.fact.method}`"
        stranded = next((hazard for hazard in case.hazards if hazard.rule in _STRANDED), None)
        if stranded is not None:
            return Verdict.BY_HAND, f"line {stranded.span.line}: {stranded.message}"
        if self.foreseen is None:
            return self._estimated(case)
        return self._exact(case, self._foreseen(case.entry.scope, self.foreseen))

    def _estimated(self, case: Case) -> tuple[Verdict, str]:
        lost = self._lost(case.entry.scope.path)
        if lost is not None:
            return Verdict.GATEWAY, lost
        reason = next(self._hindrances(case), None)
        if reason is not None:
            return self._adapted(case, reason)
        reasons = list(dict.fromkeys(self._cautions(case)))
        return self._reviewed(reasons) if reasons else (Verdict.REWRITE_SAFE, _SAFE)

    def _exact(self, case: Case, foreseen: HandlerVerdict | None) -> tuple[Verdict, str]:
        if foreseen is None:
            return self._adapted(case, "`mrtr rewrite` does not read it")
        if foreseen.level is Level.SAFE:
            return Verdict.REWRITE_SAFE, _SAFE
        if foreseen.level is Level.REVIEW:
            reasons = dict.fromkeys([*self._cautions(case), *self._hindrances(case)])
            return self._reviewed(list(reasons) or ["what it needs after the answer travels in the state"])
        if foreseen.rule == GONE_FROM_SDK:
            return Verdict.GATEWAY, foreseen.reason
        return self._adapted(case, foreseen.reason)

    def _reviewed(self, reasons: Sequence[str]) -> tuple[Verdict, str]:
        return Verdict.REWRITE_REVIEW, "; ".join(reasons[:3])

    def _foreseen(self, scope: ScopeId, foreseen: Foreseen) -> HandlerVerdict | None:
        """What the rewrite would make of a function; the ones of its name are told apart by their order."""
        module = self.analysis.project.module(scope.path)
        scopes = module.functions if module is not None else ()
        lines = sorted(s.line for s in scopes if s.display == scope.display)
        number = lines.index(scope.line) + 1 if scope.line in lines else 1
        return foreseen.get((scope.path, scope.display, number))

    def _adapted(self, case: Case, reason: str) -> tuple[Verdict, str]:
        lines = sorted(
            {
                (h.span.path, h.span.line)
                for h in case.hazards
                if h.rule in _REPEATED and h.level is not Severity.INFO
            }
        )
        if not lines:
            return Verdict.ADAPTER, reason
        home = case.entry.scope.path
        places = [str(line) if path == home else f"{line} of {path}" for path, line in lines]
        return Verdict.ADAPTER_MEMO, f"memo/once at line {', '.join(places)}; {reason}"

    # ------------------------------------------------------------------ what keeps a tool from rewriting it

    def _hindrances(self, case: Case) -> Iterator[str]:
        home = case.entry.scope
        for hazard in case.hazards:
            if hazard.rule == _TIMED:
                yield f"line {hazard.span.line}: {hazard.message}"
        if (middleware := self._middleware.get(home.path)) is not None:
            yield f"the middleware `{middleware.display}` asks around it"
        if case.entry.fact.decorator:
            yield f"the decorator `{case.entry.fact.decorator}` registers it"
        for way in case.ways:
            yield from _on_the_way(way)
        for scope in self._functions(case):
            view = view_of(self.analysis, scope)
            for reason in hindrances(view) if view is not None else ():
                yield reason if scope == home else f"`{scope.display}`: {reason}"

    def _lifted(self, case: Case, way: Way) -> list[ScopeId]:
        """The helpers that would have to be taken apart; one whose result is the handler's own result need not be."""
        if case.entry.fact.framework != "mcp-lowlevel":
            return [edge.callee for edge in way.via]
        lifted: list[ScopeId] = []
        for edge in way.via:
            caller = view_of(self.analysis, edge.caller)
            if lifted or caller is None or not _is_result(caller, edge.key):
                lifted.append(edge.callee)
        return lifted

    # ------------------------------------------------------------------ what to look at

    def _cautions(self, case: Case) -> Iterator[str]:
        repeated = [hazard for hazard in case.hazards if hazard.rule in _REPEATED]
        for hazard in repeated[:1]:
            yield f"line {hazard.span.line}: {hazard.message.rpartition(': ')[0] or hazard.message}"
        if case.rounds > 1:
            yield "it asks more than once, so there is state between the rounds"
        for scope in dict.fromkeys(way.scope for way in case.ways if self._lifted(case, way)):
            yield f"the helper `{scope.display}` has to be taken apart"
        if case.entry.fact.framework == "fastmcp" and any(
            way.ask.kind is AskKind.SAMPLING for way in case.ways
        ):
            yield "its loop of messages and tools takes a round for each message"
        if any(way.ask.kind is AskKind.URL for way in case.ways):
            yield "what it keeps for the page must survive the end of the call"
        for scope in self._functions(case):
            view = view_of(self.analysis, scope)
            if view is not None:
                yield from cautions(view)
                yield from self._doubts(view)

    def _doubts(self, view: FunctionView) -> Iterator[str]:
        for node in view.nodes():
            if view.asks_at(node):
                doubtful = self.purity.doubtful(view, node)
                if doubtful is not None:
                    yield f"`{ast.unparse(doubtful.func)}` on line {doubtful.lineno} runs again before the answer"
                return

    def _functions(self, case: Case) -> list[ScopeId]:
        scopes = [
            case.entry.scope,
            *(scope for way in case.ways for scope in (*(e.callee for e in way.via), way.scope)),
        ]
        return list(dict.fromkeys(scopes))


def _on_the_way(way: Way) -> Iterator[str]:
    for edge in way.via:
        if edge.kind is EdgeKind.DECORATOR:
            yield f"the decorator `{edge.callee.display.rpartition('.')[0]}` asks"
        elif edge.kind is EdgeKind.HANDED:
            yield f"`{edge.callee.display}` asks, and is handed on to be called by something else"
        elif edge.callee.qualname.startswith(f"{edge.caller.qualname}.<locals>."):
            yield f"the nested function `{edge.callee.display}` asks"


def _is_result(view: FunctionView, key: tuple[int, int, int, int]) -> bool:
    """Whether a call is what the function returns."""
    for node in view.nodes():
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value.value if isinstance(node.value, ast.Await) else node.value
            if isinstance(value, ast.Call) and key_of(value) == key:
                return True
    return False
