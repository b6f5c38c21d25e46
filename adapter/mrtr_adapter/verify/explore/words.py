"""Strings that a server's code knows: without them `purge(folder="text")` never comes to its question."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

MOST = 12
_LONGEST = 80
_TESTS = frozenset({"endswith", "fullmatch", "match", "search", "startswith"})


def known_words(file: Path) -> list[str]:
    """What strings are compared with in the file, and the keys of its tables; in the order of the file, at most 12."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    words = [
        word for node in _in_order(tree) for word in _words(node) if word.strip() and len(word) <= _LONGEST
    ]
    return [word for word in dict.fromkeys(words) if not word.startswith("__")][:MOST]


def _in_order(tree: ast.Module) -> list[ast.AST]:
    """Tables first: their keys are what the tools are called with."""
    nodes = list(ast.walk(tree))
    tables = [node for node in nodes if isinstance(node, (ast.Assign, ast.AnnAssign)) and node in tree.body]
    return [*tables, *(node for node in nodes if not isinstance(node, (ast.Assign, ast.AnnAssign)))]


def _words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        yield from _keys(node.value)
    elif isinstance(node, ast.Compare) and not _is_of_action(node):
        for part in (node.left, *node.comparators):
            yield from _strings(part)
    elif isinstance(node, ast.MatchValue):
        yield from _strings(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TESTS:
        yield from (word for argument in node.args[:1] for word in _strings(argument))


def _is_of_action(node: ast.Compare) -> bool:
    """`answer.action == "accept"`: these words are answers themselves."""
    return isinstance(node.left, ast.Attribute) and node.left.attr == "action"


def _keys(value: ast.expr | None) -> Iterator[str]:
    if isinstance(value, ast.Dict):
        for key in value.keys:
            yield from _strings(key)
    elif isinstance(value, (ast.Set, ast.List, ast.Tuple)):
        yield from _strings(value)


def _strings(node: ast.expr | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, (ast.Set, ast.List, ast.Tuple)):
        for element in node.elts:
            yield from _strings(element)
