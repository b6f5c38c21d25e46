"""A file as the rules see it: its tree, what its names stand for, and which of its calls ask."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, TypeVar, cast

from mrtr_codemod.analysis.asks import AskFact
from mrtr_codemod.analysis.callgraph import Edge
from mrtr_codemod.analysis.calls import Key, at_definition, key_of, own_nodes
from mrtr_codemod.analysis.walk import Definition
from mrtr_codemod.model import Finding, Level, Span
from mrtr_codemod.names.module import FunctionInfo, Module, ScopeId
from mrtr_codemod.names.outline import FunctionNode, ScopeNode
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.roles import CONNECTIONS, in_family, local_part
from mrtr_codemod.names.values import External, Value
from mrtr_codemod.nodes import Node, NodeIndex, children

if TYPE_CHECKING:
    from mrtr_codemod.analysis.analysis import Analysis
    from mrtr_codemod.rules.base import Rule

T = TypeVar("T")


class FileView:
    """One file of an analysed project. Use it while it is checked: it keeps the syntax tree."""

    def __init__(self, analysis: Analysis, module: Module, tree: ast.Module) -> None:
        self.analysis = analysis
        self.module = module
        self.tree = tree
        self.path = module.path
        self.source = analysis.project.sources[module.path]

    @property
    def functions(self) -> tuple[FunctionView, ...]:
        """All functions of the file, by place."""
        return self._derived("functions", self._all_functions)

    @property
    def calls(self) -> Iterator[ast.Call]:
        """All calls of the file, those in nested functions included."""
        return chain(self._nodes.outside(ast.Call), self._nodes.inside(ast.Call))

    def outside_asserts(self, kind: type[Node]) -> Sequence[Node]:
        """The nodes of a class, without those in `assert` statements: what a test expects to get is not made by it.

        There are none of names and constants.
        """
        return self._nodes.outside(kind)

    @cached_property
    def _nodes(self) -> NodeIndex:
        return NodeIndex(self.tree)

    @property
    def asking(self) -> tuple[ScopeView, ...]:
        """The functions of the file that ask, themselves or through others, by place; and the module's own
        scope."""
        return self._derived("asking", self._all_asking)

    def _all_functions(self) -> tuple[FunctionView, ...]:
        ordered = sorted(self.module.functions.values(), key=lambda info: info.id.line)
        return tuple(view for view in map(self.function, (info.id for info in ordered)) if view)

    def _all_asking(self) -> tuple[ScopeView, ...]:
        graph = self.analysis.graph
        found: list[ScopeView] = [view for view in self.functions if view.scope in graph.asking]
        if self.module.scope in graph.asking:
            found.insert(0, ScopeView(self, self.module.scope, self.tree))
        return tuple(found)

    @property
    def replayed(self) -> tuple[ScopeView, ...]:
        """The asking functions that may be run again: those that a handler reaches, and helpers that get a context.

        The rest are no handlers: the insides of an SDK, and tests that drive a session themselves.
        """
        return self._derived(
            "replayed", lambda: tuple(view for view in self.asking if self._may_replay(view.scope))
        )

    def _may_replay(self, scope: ScopeId) -> bool:
        if scope in self.analysis.reached_from:
            return True
        info = self.module.functions.get(scope)
        if in_family(self.module.dotted) or info is None:
            return False
        values = (
            value
            for parameter in info.parameters
            for value in self.analysis.evaluator.values((parameter.name,), scope)
        )
        return any(isinstance(value, External) and local_part(value.name) in CONNECTIONS for value in values)

    def function(self, scope: ScopeId) -> FunctionView | None:
        """The function with an id, None if it is no function of this file."""
        return self._derived(f"function {scope.line} {scope.qualname}", lambda: self._function(scope))

    def _derived(self, name: str, make: Callable[[], T]) -> T:
        """Kept beside the tree, not here: views refer to each other, and nobody collects cycles during a check."""
        return cast("T", self.analysis.project.derived(self.path, name, lambda _: make()))

    def _function(self, scope: ScopeId) -> FunctionView | None:
        info = self.module.functions.get(scope)
        node = self.analysis.project.node(scope) if info else None
        if info is None or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        return FunctionView(self, info, node)

    def scope_at(self, node: ast.AST) -> ScopeId:
        """The innermost function around a node, or the module's scope."""
        return self.module.enclosing(getattr(node, "lineno", 0))

    def values(self, node: ast.expr, scope: ScopeId) -> tuple[Value, ...]:
        """What an expression stands for in a scope; empty when that is not known."""
        return self.analysis.evaluator.values(lower(node), scope)

    def externals(self, node: ast.expr, scope: ScopeId) -> tuple[str, ...]:
        """The objects outside of the repo that an expression may stand for; see `names.roles` for how they
        are written."""
        return tuple(value.name for value in self.values(node, scope) if isinstance(value, External))

    def span(self, node: ast.AST) -> Span:
        """Where a node stands."""
        return span_of(self.path, key_of(node), self.source.lines)

    def span_at(self, key: Key) -> Span:
        """The span of a place as `ast` counts it."""
        return span_of(self.path, key, self.source.lines)

    def finding(
        self,
        rule: Rule,
        node: ast.AST | Key,
        message: str,
        *,
        level: Level | None = None,
        scope: ScopeId | None = None,
        related: Iterable[tuple[str, ast.AST | Key]] = (),
    ) -> Finding:
        """A finding of `rule` at a node. `scope` is the function that it is about; by default the one around
        it."""
        key = node if isinstance(node, tuple) else key_of(node)
        where = scope if scope is not None else self.module.enclosing(key[0])
        others = tuple(
            (word, self.span_at(place if isinstance(place, tuple) else key_of(place)))
            for word, place in related
        )
        return Finding(
            rule.code,
            level if level is not None else rule.level,
            message,
            self.span_at(key),
            self._handler_of(where),
            others,
        )

    def _handler_of(self, scope: ScopeId) -> str | None:
        """The one handler that leads to a function; without one, or with several, the function itself."""
        entries = {entry.scope for entry in self.analysis.reached_from.get(scope, ())}
        owner = scope if scope in self.analysis.graph.entries or len(entries) != 1 else next(iter(entries))
        return owner.display if owner.qualname else None


class ScopeView:
    """A scope of a file and the asks in it."""

    def __init__(self, file: FileView, scope: ScopeId, node: ScopeNode) -> None:
        self.file = file
        self.scope = scope
        self.body = node.body
        self._node = node
        self._nodes: tuple[ast.AST, ...] | None = None
        self._kept: dict[str, object] = {}
        graph = file.analysis.graph
        self.asks: dict[Key, AskFact] = graph.asks.get(scope, {})
        """The asks that stand in it, by place."""
        self.edges: dict[Key, list[Edge]] = {}
        """The calls that lead to an ask in another function, by place."""
        for edge in graph.edges.get(scope, ()):
            if edge.callee in graph.asking:
                self.edges.setdefault(edge.key, []).append(edge)

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What `make` works out, once for this scope."""
        if name not in self._kept:
            self._kept[name] = make()
        return cast("T", self._kept[name])

    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the scope in source order, those of nested functions left out."""
        if self._nodes is None:
            self._nodes = tuple(own_nodes(self._node))
        return self._nodes

    def ask_at(self, node: ast.AST) -> AskFact | None:
        """The ask that a call (or `raise`) is."""
        return self.asks.get(key_of(node)) if isinstance(node, (ast.Call, ast.Raise)) else None

    def asks_at(self, node: ast.AST) -> bool:
        """Whether a call is an ask or leads to one."""
        if not isinstance(node, (ast.Call, ast.Raise)):
            return False
        key = key_of(node)
        return key in self.asks or key in self.edges

    def asks_in(self, node: ast.AST) -> bool:
        """Whether anything below a node of the scope asks, nested functions left out."""
        return node in self._first_asks

    def first_ask(self, node: ast.AST) -> Key | None:
        """The first call below a node of the scope that asks or leads to an ask, None if there is none."""
        return self._first_asks.get(node)

    @cached_property
    def _first_asks(self) -> dict[ast.AST, Key]:
        """For each node with asks below it, the first of them."""
        found: dict[ast.AST, Key] = {}
        if not (self.asks or self.edges):
            return found
        parents: dict[ast.AST, ast.AST] = {}
        for node in self.nodes():
            below = at_definition(node) if isinstance(node, Definition) else children(node)
            parents.update((child, node) for child in below)
            if not self.asks_at(node):
                continue
            key = key_of(node)
            around: ast.AST | None = node
            while around is not None and (around not in found or key < found[around]):
                found[around] = key
                around = parents.get(around)
        return found


class FunctionView(ScopeView):
    """A function and the asks in it."""

    def __init__(self, file: FileView, info: FunctionInfo, node: FunctionNode) -> None:
        super().__init__(file, info.id, node)
        self.info = info
        self.node = node


def span_of(path: str, key: Key, lines: tuple[str, ...]) -> Span:
    """A place with columns in characters from 1 instead of UTF-8 bytes from 0."""
    line, column, end_line, end_column = key
    return Span(
        path,
        line,
        _characters(lines, line, column) + 1,
        end_line,
        _characters(lines, end_line, end_column) + 1,
    )


def _characters(lines: tuple[str, ...], line: int, column: int) -> int:
    text = lines[line - 1] if 1 <= line <= len(lines) else ""
    if text.isascii():
        return column
    return len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))
