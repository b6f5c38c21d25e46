"""The nodes below a node, found as fast as Python can: most of the time of a check goes by in here."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeVar, cast

Node = TypeVar("Node", bound=ast.AST)

_NO_NODES = frozenset(
    {"ctx", "op", "ops", "id", "attr", "arg", "kind", "level", "module", "conversion", "simple", "is_async",
     "type_comment", "type_ignores", "rest", "asname", "kwd_attrs", "tag"}
)  # fmt: skip
"""Fields that hold plain values, or what says nothing: operators, and the contexts of names."""
_LEAVES = (ast.Name, ast.Constant, ast.Global, ast.Nonlocal, ast.alias, ast.MatchSingleton)


class _Fields(dict[type, tuple[str, ...]]):
    """For each class of nodes, its fields that hold nodes."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields = () if issubclass(kind, _LEAVES) else getattr(kind, "_fields", ())
        # Of all nodes that have a name, only `type X = …` has a node for it.
        named = kind.__name__ == "TypeAlias"
        found = tuple(field for field in fields if field not in _NO_NODES and (named or field != "name"))
        self[kind] = found
        return found


_FIELDS = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below a node in source order, without operators and the contexts of names."""
    found: list[ast.AST] = []
    for name in _FIELDS[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [item for item in value if item is not None]
        elif value is not None:
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all nodes below it in source order, without operators and the contexts of names."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if _FIELDS[current.__class__]:
            below = children(current)
            below.reverse()
            stack += below


class NodeIndex:
    """The nodes of a tree by their class, without names, constants and operators: one walk for all rules."""

    def __init__(self, tree: ast.AST) -> None:
        self._found: dict[type, list[ast.AST]] = {}
        self._asserted: dict[type, list[ast.AST]] = {}
        for statement in _sort(tree, self._found):
            for part in children(statement):
                _sort(part, self._asserted)

    def outside(self, kind: type[Node]) -> Sequence[Node]:
        """The nodes of exactly this class that stand in no `assert` statement."""
        return cast("Sequence[Node]", self._found.get(kind, ()))

    def inside(self, kind: type[Node]) -> Sequence[Node]:
        """The nodes of exactly this class that stand in `assert` statements."""
        return cast("Sequence[Node]", self._asserted.get(kind, ()))


def _sort(tree: ast.AST, found: dict[type, list[ast.AST]]) -> list[ast.Assert]:
    """Put the nodes of a tree to those of their class; the `assert` statements, which are not entered, are returned."""
    asserts: list[ast.Assert] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = node.__class__
        if kind is ast.Assert:
            asserts.append(cast("ast.Assert", node))
            continue
        fields = _FIELDS[kind]
        if not fields:
            continue
        if kind in found:
            found[kind].append(node)
        else:
            found[kind] = [node]
        for name in fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                stack += [item for item in value if item is not None]
            elif value is not None:
                stack.append(value)
    return asserts
