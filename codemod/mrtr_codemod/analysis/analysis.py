"""All that is known about a repo once its asks were followed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from mrtr_codemod.analysis.callgraph import CallGraph, build
from mrtr_codemod.analysis.effects import Effects
from mrtr_codemod.analysis.entries import EntryFact
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.progress import Progress
from mrtr_codemod.project import Project


@dataclass(frozen=True)
class EntryPoint:
    """A function that a framework calls, and how."""

    scope: ScopeId
    fact: EntryFact


class Analysis:
    """Names, call graph and effects of a project, shared by the rules and the report."""

    def __init__(self, project: Project, progress: Progress | None = None) -> None:
        self.project = project
        self.evaluator = Evaluator(project)
        self.graph: CallGraph = build(project, self.evaluator, progress)
        self.effects = Effects(project, self.evaluator)

    @cached_property
    def asking_paths(self) -> frozenset[str]:
        """The files in which a function asks, itself or through others."""
        return frozenset(scope.path for scope in self.graph.asking)

    @cached_property
    def entry_points(self) -> tuple[EntryPoint, ...]:
        """The entry points that reach an ask, by place."""
        found = [
            EntryPoint(scope, fact)
            for scope, facts in self.graph.entries.items()
            if scope in self.graph.asking
            for fact in facts
        ]
        return tuple(sorted(found, key=lambda e: (e.scope.path, e.scope.line, e.fact.method)))

    @cached_property
    def reached_from(self) -> dict[ScopeId, tuple[EntryPoint, ...]]:
        """For each asking function, the entry points that lead to it."""
        found: dict[ScopeId, dict[EntryPoint, None]] = {}
        for entry in self.entry_points:
            stack = [entry.scope]
            seen: set[ScopeId] = set()
            while stack:
                scope = stack.pop()
                if scope in seen or scope not in self.graph.asking:
                    continue
                seen.add(scope)
                found.setdefault(scope, {})[entry] = None
                stack.extend(edge.callee for edge in self.graph.edges.get(scope, ()))
        return {scope: tuple(entries) for scope, entries in found.items()}
