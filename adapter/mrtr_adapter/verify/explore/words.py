"""Strings that a server knows: without them a call such as `purge(folder="text")` never comes to its question."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from mrtr_adapter.verify.scratch import files_in

MOST = 12
"""Words of the code, and again as many of the files beside it."""
_LONGEST = 80
_CODE = frozenset({".py", ".pyi", ".pyc", ".md", ".toml", ".cfg", ".lock"})
_TESTS = frozenset({"endswith", "fullmatch", "match", "search", "startswith"})


def known_words(file: Path) -> list[str]:
    """What strings are compared with in the file, the keys of its tables, and the names of the files beside it."""
    return list(dict.fromkeys([*_of_code(file), *_of_files(file.resolve().parent)]))


def _of_files(folder: Path) -> list[str]:
    """Names without suffix; no code."""
    names = (path.stem for path in files_in(folder) if path.suffix not in _CODE and path.stem[:1] != ".")
    return list(dict.fromkeys(islice(names, MOST)))


def _of_code(file: Path) -> list[str]:
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
