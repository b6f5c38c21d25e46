"""What the report says of each handler that asks."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Iterable

from mrtr_codemod.analysis.analysis import Analysis, EntryPoint
from mrtr_codemod.analysis.live import live_across
from mrtr_codemod.analysis.question import Questions
from mrtr_codemod.analysis.tally import Tally
from mrtr_codemod.analysis.verdict import Case, Judge
from mrtr_codemod.analysis.view import span_of
from mrtr_codemod.analysis.views import view_of
from mrtr_codemod.analysis.ways import Way, ways_from
from mrtr_codemod.foresight import Foreseen
from mrtr_codemod.model import Ask, AskKind, Finding, Handler, LiveLocal, Span
from mrtr_codemod.names.module import ScopeId

_LONGEST_QUESTION = 200


def handlers_of(analysis: Analysis, findings: Iterable[Finding], foreseen: Foreseen | None) -> list[Handler]:
    """The handlers of a repo that ask, by place. Hazards are taken from the findings of the 1xx and 3xx rules.

    The verdicts are estimates unless it is `foreseen` what the rewrite makes of each.
    """
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.rule.startswith(("MRTR3", "MRTR11", "MRTR12")):
            by_file[finding.span.path].append(finding)
    reporter = _Reporter(analysis, by_file, foreseen)
    entries: dict[ScopeId, EntryPoint] = {}
    for entry in analysis.entry_points:
        entries.setdefault(entry.scope, entry)
    return [handler for handler in map(reporter.attempt, entries.values()) if handler is not None]


class _Reporter:
    def __init__(
        self, analysis: Analysis, findings: dict[str, list[Finding]], foreseen: Foreseen | None
    ) -> None:
        self.analysis = analysis
        self.findings = findings
        self.questions = Questions(analysis)
        self.tally = Tally(analysis)
        self.judge = Judge(analysis, foreseen)

    def attempt(self, entry: EntryPoint) -> Handler | None:
        try:
            return self.handler(entry)
        except RecursionError:
            self.analysis.project.fail(entry.scope.path, "nested too deeply to be checked")
            return None

    def handler(self, entry: EntryPoint) -> Handler:
        ways = ways_from(self.analysis, entry.scope)
        scopes = list(
            dict.fromkeys([entry.scope, *(s for w in ways for s in (*(e.callee for e in w.via), w.scope))])
        )
        hazards = [finding for scope in scopes for finding in self._hazards(scope)]
        rounds = self.tally.rounds(entry.scope)
        verdict, reason = self.judge.verdict(Case(entry, ways, hazards, rounds))
        return Handler(
            name=entry.scope.display,
            framework=entry.fact.framework,
            method=entry.fact.method,
            span=self._head(entry.scope),
            asks=tuple(self._ask(way) for way in ways),
            live=tuple(dict.fromkeys(local for scope in scopes for local in self._live(scope))),
            hazards=tuple(hazards),
            rounds=None if math.isinf(rounds) else int(rounds),
            verdict=verdict,
            reason=reason,
        )

    def _hazards(self, scope: ScopeId) -> list[Finding]:
        module = self.analysis.project.module(scope.path)
        if module is None:
            return []
        return [f for f in self.findings.get(scope.path, ()) if module.enclosing(f.span.line) == scope]

    def _ask(self, way: Way) -> Ask:
        return Ask(
            kind=way.ask.kind or AskKind.FORM,
            span=self._span(way.scope.path, way.ask.key),
            via=tuple(self._span(edge.caller.path, edge.key) for edge in way.via),
            question=self._question(way),
        )

    def _question(self, way: Way) -> str | None:
        view = view_of(self.analysis, way.scope)
        for node in view.nodes() if view is not None else ():
            if view is not None and isinstance(node, ast.Call) and view.ask_at(node) is way.ask:
                text = self.questions.text(view, node)
                source = ast.unparse(text) if text is not None else None
                return (
                    f"{source[: _LONGEST_QUESTION - 1]}…"
                    if source and len(source) > _LONGEST_QUESTION
                    else source
                )
        return None

    def _live(self, scope: ScopeId) -> list[LiveLocal]:
        view = view_of(self.analysis, scope)
        if view is None:
            return []
        return [
            LiveLocal(local.name, local.annotation, view.file.span(local.node))
            for _, locals_ in live_across(view)
            for local in locals_
        ]

    def _head(self, scope: ScopeId) -> Span:
        """The `def` and the name of a function."""
        node = self.analysis.project.node(scope)
        column = node.col_offset if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else 0
        name = scope.qualname.rpartition(".")[2]
        words = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
        return self._span(scope.path, (scope.line, column, scope.line, column + len((words + name).encode())))

    def _span(self, path: str, key: tuple[int, int, int, int]) -> Span:
        return span_of(path, key, self.analysis.project.lines(path))
