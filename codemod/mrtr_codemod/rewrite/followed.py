"""What the lint's analysis says about asks: it follows calls across files, through objects, callbacks and base classes.

The rewrite follows names within a file by itself. Of calls beyond that, it lifts those that the analysis leads to one
function for certain; whatever else asks is left as it is, with the reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.callgraph import Edge, EdgeKind
from mrtr_codemod.analysis.calls import key_of, own_nodes
from mrtr_codemod.analysis.mentions import Mentions
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import FunctionValue
from mrtr_codemod.project import Project
from mrtr_codemod.source import SourceFile

from .neighbours import Files


@dataclass(frozen=True)
class Entry:
    """A function that a framework calls and that reaches an ask. `name` is its qualified name."""

    name: str
    line: int
    method: str
    may_ask: bool


@dataclass(frozen=True)
class Link:
    """Calls spelled `spelled` in the function `caller` lead to the function `callee` of the file `path`, which asks."""

    caller: str
    spelled: str
    path: str
    callee: str


class Followed:
    """What some files say together about each of them."""

    def __init__(self, analysis: Analysis) -> None:
        self.project = analysis.project
        self.analysis = analysis
        self._entries: dict[str, list[Entry]] = {}
        for point in self.analysis.entry_points:
            entry = Entry(point.scope.display, point.scope.line, point.fact.method, point.fact.can_ask)
            self._entries.setdefault(point.scope.path, []).append(entry)

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Followed:
        """What some texts say, by their paths."""
        return cls.of_sources(SourceFile(path, text) for path, text in texts.items())

    @classmethod
    def of_sources(cls, sources: Iterable[SourceFile]) -> Followed:
        """What some sources say."""
        return cls(Analysis(Project(sources)))

    def entries(self, path: str) -> list[Entry]:
        """The entry points of one file that reach an ask, by place."""
        return self._entries.get(path, [])

    def links(self, path: str) -> list[Link]:
        """The calls in one file that lead to one asking function for certain."""
        return self._links.get(path, [])

    def partners(self, path: str) -> list[str]:
        """The files that must be rewritten together with one, itself included, by name."""
        return self._groups.get(path, [path])

    def used_outside(self, paths: Iterable[str]) -> dict[str, frozenset[str]]:
        """For each of the files, its asking functions that a file beside them may use as well."""
        inside = set(paths)
        found: dict[str, set[str]] = {path: set() for path in inside}
        for scope in self.analysis.graph.asking:
            if scope.path in inside and self._mentioned(scope, inside):
                found[scope.path].add(scope.display)
        return {path: frozenset(names) for path, names in found.items()}

    @cached_property
    def files(self) -> Files:
        """What each file defines, as others import it."""
        return Files(self.project)

    @cached_property
    def _mentions(self) -> Mentions:
        return Mentions(self.project)

    def _mentioned(self, scope: ScopeId, inside: set[str]) -> bool:
        info = self.project.function(scope)
        if info is None:
            return False
        near = self._mentions.importers(scope.path)
        reach = {*near, *(far for path in near for far in self._mentions.importers(path))}
        word = re.compile(rf"\b{re.escape(info.name)}\b")
        return any(word.search(self.project.sources[path].text) for path in reach - inside)

    @cached_property
    def _links(self) -> dict[str, list[Link]]:
        found: dict[str, list[Link]] = {}
        for caller, edges in self.analysis.graph.edges.items():
            certain: dict[str, set[ScopeId | None]] = {}
            for edge in edges:
                if edge.kind is EdgeKind.CALL and edge.callee in self.analysis.graph.asking:
                    for spelled, callee in self._spelled(edge):
                        certain.setdefault(spelled, set()).add(callee)
            for spelled, callees in certain.items():
                callee = next(iter(callees))
                if callee is not None and len(callees) == 1:
                    link = Link(caller.display, spelled, callee.path, callee.display)
                    found.setdefault(caller.path, []).append(link)
        return found

    def _spelled(self, edge: Edge) -> Iterator[tuple[str, ScopeId | None]]:
        """How the call of an edge names its function, and which one that is; None if there may be others."""
        node = self.project.node(edge.caller)
        for call in own_nodes(node) if node is not None else ():
            if isinstance(call, ast.Call) and key_of(call) == edge.key and _is_dotted(call.func):
                values = self.analysis.evaluator.values(lower(call.func), edge.caller)
                sure = len(values) == 1 and isinstance(values[0], FunctionValue)
                yield (
                    ast.unparse(call.func),
                    edge.callee if sure and not self._overridden(edge.callee) else None,
                )

    def _overridden(self, method: ScopeId) -> bool:
        """Whether a class that derives from the method's own has another method of that name."""
        info = self.project.function(method)
        if info is None or info.owner is None:
            return False
        evaluator = self.analysis.evaluator
        for source in self.project.mentioning((f"def {info.name}",)):
            module = self.project.module(source.path)
            for declared in module.classes.values() if module else ():
                if declared.id != info.owner and info.name in declared.methods:
                    ancestors = evaluator.ancestors(declared.id)
                    if any(getattr(a, "scope", None) == info.owner for a in ancestors):
                        return True
        return False

    @cached_property
    def _groups(self) -> dict[str, list[str]]:
        """Who merely uses a handler or its helpers, as tests do, is not rewritten and need not be there."""
        led = {(scope.path, scope.display) for scope in self.analysis.reached_from}
        groups: dict[str, set[str]] = {}
        for path, links in self._links.items():
            for link in links:
                if link.path != path and (path, link.caller) in led:
                    joined = groups.get(path, {path}) | groups.get(link.path, {link.path})
                    groups.update(dict.fromkeys(joined, joined))
        return {path: sorted(joined) for path, joined in groups.items()}


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def alone(source: str) -> Followed:
    """What a single source, `source.py`, says of itself."""
    return Followed.of({ALONE: source})


ALONE = "source.py"
