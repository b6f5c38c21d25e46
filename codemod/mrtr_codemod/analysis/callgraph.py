"""From the asks upward: which functions ask, which call those, and which entry points a client reaches them
by.

Only what leads to an ask is looked at. The text of the repo is the index: a caller must name what it calls,
so the files that contain the name of an asking function are opened next, and the scopes that the name stands
in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from mrtr_codemod.analysis.aliases import Aliases
from mrtr_codemod.analysis.asks import AskFact, RawAsk, asks_in
from mrtr_codemod.analysis.calls import Key, RawCall, raw_calls
from mrtr_codemod.analysis.entries import EntryFact, by_class, by_decorators, by_registration
from mrtr_codemod.analysis.mentions import Mentions, spoken_name
from mrtr_codemod.analysis.migrated import MADE, migrated_asks
from mrtr_codemod.analysis.own_decorators import by_own_decorators
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import FunctionInfo, ScopeId
from mrtr_codemod.names.reference import Ref
from mrtr_codemod.names.values import ClassValue, External, FunctionValue, InstanceValue, Value
from mrtr_codemod.progress import Progress
from mrtr_codemod.project import Project


class EdgeKind(Enum):
    """How one function leads to another."""

    CALL = "call"
    HANDED = "handed on"
    """The function is handed to something that will call it: a task group, a thread, a retry helper."""
    DECORATOR = "decorator"
    """The caller is wrapped by a decorator whose inner function is the callee."""


class Edge(NamedTuple):
    """A call in scope `caller` that leads to the function `callee`; `via` is what a passed function is
    handed to."""

    caller: ScopeId
    callee: ScopeId
    key: Key
    kind: EdgeKind
    via: tuple[str, ...] = ()


@dataclass
class CallGraph:
    """What leads to asks: see the module's docstring."""

    asks: dict[ScopeId, dict[Key, AskFact]] = field(default_factory=dict)
    edges: dict[ScopeId, dict[Edge, None]] = field(default_factory=lambda: defaultdict(dict))
    """By caller."""
    callers: dict[ScopeId, dict[Edge, None]] = field(default_factory=lambda: defaultdict(dict))
    """By callee."""
    entries: dict[ScopeId, dict[EntryFact, None]] = field(default_factory=lambda: defaultdict(dict))
    unknown: dict[ScopeId, list[RawAsk]] = field(default_factory=dict)
    """Calls spelled like an ask whose receiver is not known."""
    asking: dict[ScopeId, None] = field(default_factory=dict)
    """Functions that reach an ask."""


def build(project: Project, evaluator: Evaluator, progress: Progress | None = None) -> CallGraph:
    """Follow every ask of the project to the functions and entry points that reach it."""
    return _Builder(project, evaluator).run(progress)


class _Builder:
    def __init__(self, project: Project, evaluator: Evaluator) -> None:
        self.project = project
        self.evaluator = evaluator
        self.graph = CallGraph()
        self.raw: dict[ScopeId, list[RawCall]] = {}
        self._visited: dict[ScopeId, None] = {}
        self.names: dict[str, None] = {}
        """Names whose every mention is looked at."""
        self.aliases = Aliases(project)
        self.mentions = Mentions(project)
        self.pending: dict[ScopeId, None] = {}
        """Functions that would ask if an unknown parameter were a context."""
        self.queue: dict[str, dict[ScopeId, None]] = {}
        """Scopes to look at, file by file, so that a file's tree is at hand for all of them."""

    def run(self, progress: Progress | None) -> CallGraph:
        for path, lines in self.project.survey.seeds.items():
            for scope in self.mentions.on_lines(path, lines):
                self._enqueue(scope)
                self._calls(scope)
                self._learn(scope)
        followed: set[str] = set()
        while self.queue:
            if progress is not None:
                progress(len(followed), len(followed) + len(self.queue))
            path, scopes = self.queue.popitem()
            followed.add(path)
            try:
                for scope in scopes:
                    self._visit(scope)
            except RecursionError:
                self.project.fail(path, "nested too deeply to be checked")
        return self.graph

    # ------------------------------------------------------------------ one scope

    def _enqueue(self, scope: ScopeId) -> None:
        self.queue.setdefault(scope.path, {})[scope] = None

    def _visit(self, scope: ScopeId) -> None:
        calls = self._calls(scope)
        if self._learn(scope):
            for known in self._visited:
                self._enqueue(known)
        self._visited[scope] = None
        asks, waiting = asks_in(calls, scope, self.evaluator, self.aliases)
        legacy_only = self._legacy_only(scope, calls) if asks else frozenset()
        asks = [ask for ask in asks if ask.key not in legacy_only]
        if asks:
            self.graph.asks[scope] = {ask.key: ask for ask in asks}
            self._reaches(scope)
        self.graph.unknown[scope] = waiting
        for raw in waiting:
            self._await_parameter(raw.receiver, scope)
        for call in calls:
            if not self.names.keys().isdisjoint(call.names):
                self._follow(call, scope)

    def _learn(self, scope: ScopeId) -> bool:
        """Look for names that a scope gives to asks, and at what mentions them; whether any is new to the repo."""
        before = len(self.aliases)
        for name in self.aliases.learn(scope):
            for mentioning in self.mentions.named(scope.path, name):
                self._enqueue(mentioning)
        return len(self.aliases) > before

    def _legacy_only(self, scope: ScopeId, calls: list[RawCall]) -> frozenset[Key]:
        if not self._migrating:
            return frozenset()
        node = self.project.node(scope)
        return migrated_asks(node, scope, calls, self.evaluator) if node is not None else frozenset()

    @cached_property
    def _migrating(self) -> bool:
        """Whether anything in the repo is migrated already."""
        return any(True for _ in self.project.mentioning((MADE,)))

    def _calls(self, scope: ScopeId) -> list[RawCall]:
        known = self.raw.get(scope)
        if known is None:
            node = self.project.node(scope)
            known = self.raw[scope] = raw_calls(node) if node is not None else []
        return known

    def _follow(self, call: RawCall, scope: ScopeId) -> None:
        targets = self.evaluator.values(call.function, scope)
        for target in targets:
            if isinstance(target, FunctionValue):
                self._call_edge(call, scope, target.scope, bound=target.bound)
            elif isinstance(target, (ClassValue, InstanceValue)):
                dunder = "__init__" if isinstance(target, ClassValue) else "__call__"
                method = self.evaluator.method(target.scope, dunder)
                if method:
                    self._call_edge(call, scope, method, bound=True)
        self._passed(call, scope, targets)

    def _call_edge(self, call: RawCall, scope: ScopeId, callee: ScopeId, *, bound: bool) -> None:
        self._note_arguments(call, scope, callee, bound=bound)
        if self._interesting(callee):
            self._edge(Edge(scope, callee, call.key, EdgeKind.CALL))

    def _passed(self, call: RawCall, scope: ScopeId, targets: tuple[Value, ...]) -> None:
        externals = tuple(target.name for target in targets if isinstance(target, External))
        for entry, function in by_registration(call, scope, externals, self.evaluator):
            self._enter(function, entry)
        for position, ref in enumerate((*call.arguments, *(ref for _, ref in call.keywords))):
            for value in self.evaluator.values(ref, scope):
                if isinstance(value, FunctionValue) and self._interesting(value.scope):
                    self._edge(Edge(scope, value.scope, call.key, EdgeKind.HANDED, externals))
                    if any(_hands_on(name) for name in externals):
                        rest = call._replace(arguments=call.arguments[position + 1 :], keywords=())
                        self._note_arguments(rest, scope, value.scope, bound=value.bound)

    def _note_arguments(self, call: RawCall, scope: ScopeId, callee: ScopeId, *, bound: bool) -> None:
        info = self.project.function(callee)
        if info is None:
            return
        changed = False
        for parameter, ref in matched(call, info, bound=bound):
            values = self.evaluator.values(ref, scope)
            useful = [v for v in values if not isinstance(v, External) or ":" in v.name]
            if useful:
                changed |= self.evaluator.note_argument(callee, parameter, useful)
            elif self._interesting(callee):
                self._await_parameter(ref, scope)
        if changed:
            self._revisit(callee)

    def _revisit(self, function: ScopeId) -> None:
        prefix = function.qualname + ".<locals>."
        for scope in self._visited:
            if scope.path == function.path and (scope == function or scope.qualname.startswith(prefix)):
                self._enqueue(scope)

    # ------------------------------------------------------------------ what is reached

    def _interesting(self, function: ScopeId) -> bool:
        return function in self.graph.asking or function in self.pending

    def _owner_of(self, ref: Ref | None, scope: ScopeId) -> FunctionInfo | None:
        """The function, this one or one around it, that the root of `ref` is a parameter of which nothing
        types."""
        current = scope
        while ref and current.qualname:
            info = self.project.function(current)
            if info is None:
                return None
            parameter = info.parameter(ref[0])
            if parameter is not None:
                return info if not parameter.classes and info.bound_first != ref[0] else None
            current = info.parent
        return None

    def _await_parameter(self, ref: Ref | None, scope: ScopeId) -> None:
        """Look for the callers of the function whose untyped parameter `ref` starts at."""
        owner = self._owner_of(ref, scope)
        if owner is not None and owner.id not in self.pending:
            self.pending[owner.id] = None
            self._search_callers(owner)

    def _reaches(self, scope: ScopeId) -> None:
        if scope in self.graph.asking:
            return
        self.graph.asking[scope] = None
        info = self.project.function(scope)
        if info is None:
            return
        for entry in (
            *by_decorators(info, self.evaluator),
            *by_class(info, self.evaluator),
            *by_own_decorators(info, self.evaluator, self._calls),
        ):
            self._enter(scope, entry)
        self._search_callers(info)
        parent = self.project.function(info.parent)
        if parent is not None:
            self._search_decorated(parent, scope)

    def _enter(self, function: ScopeId, entry: EntryFact) -> None:
        """`function` is an entry point: it matters if it asks, and what the framework passes to it is
        known."""
        self.graph.entries[function][entry] = None
        info = self.project.function(function)
        if info is None or not entry.context:
            return
        first = next((p for p in info.parameters if p.name != info.bound_first), None)
        if first is not None and self.evaluator.note_argument(
            function, first.name, [External(entry.context)]
        ):
            self._revisit(function)

    def _edge(self, edge: Edge) -> None:
        if edge in self.graph.edges[edge.caller] or (
            edge.caller == edge.callee and edge.kind is not EdgeKind.CALL
        ):
            return
        self.graph.edges[edge.caller][edge] = None
        self.graph.callers[edge.callee][edge] = None
        if edge.callee in self.graph.asking:
            self._reaches(edge.caller)

    # ------------------------------------------------------------------ who mentions a function

    def _search_callers(self, info: FunctionInfo) -> None:
        if self._is_sdk_method(info):
            return
        for edge in list(self.graph.callers.get(info.id, ())):
            if info.id in self.graph.asking:
                self._reaches(edge.caller)
        self.names[spoken_name(info)] = None
        for name, scope in self.mentions.of(info):
            self.names[name] = None
            self._enqueue(scope)

    def _is_sdk_method(self, info: FunctionInfo) -> bool:
        """A method of `Context`, `FastMCP`, …, when the repo is the SDK: what users call of it is known by
        name."""
        module = self.project.module(info.id.path)
        return (
            info.owner is not None and module is not None and bool(self.evaluator.role_of(info.owner, module))
        )

    def _search_decorated(self, decorator: FunctionInfo, inner: ScopeId) -> None:
        """Functions that `decorator` wraps run its inner function."""
        outermost = self.project.function(decorator.parent) or decorator
        for path in (decorator.id.path, *self.mentions.importers(decorator.id.path)):
            text = self.project.sources[path].text
            if f"@{outermost.name}" not in text and f".{outermost.name}" not in text:
                continue
            module = self.project.module(path)
            for info in list(module.functions.values()) if module else ():
                if self._wrapped_by(info, decorator):
                    place = (info.id.line, 0, info.id.line, 0)
                    self._edge(Edge(info.id, inner, place, EdgeKind.DECORATOR))

    def _wrapped_by(self, info: FunctionInfo, decorator: FunctionInfo) -> bool:
        for ref in info.decorators:
            bare = tuple(step for step in ref if step != "()")
            for value in self.evaluator.values(bare, info.parent):
                if isinstance(value, FunctionValue) and value.scope in (decorator.id, decorator.parent):
                    return True
        return False


def matched(call: RawCall, info: FunctionInfo, *, bound: bool) -> Iterator[tuple[str, Ref]]:
    """Which parameter of a function takes which argument of a call."""
    positional = [p.name for p in info.parameters if p.positional]
    if bound and positional:
        positional = positional[1:]
    for name, ref in zip(positional, call.arguments):  # noqa: B905
        if ref is not None:
            yield name, ref
    for keyword, ref in call.keywords:
        if keyword is not None and ref is not None and info.parameter(keyword) is not None:
            yield keyword, ref


def _hands_on(external: str) -> bool:
    """Whether a callee calls the function that it is given with the arguments that follow it."""
    tail = external.removesuffix("()").rpartition(".")[2]
    return tail in {"start_soon", "start", "run", "to_thread", "run_sync", "run_in_executor", "partial",
    "run_task",
                    "call_soon", "submit"}  # fmt: skip
