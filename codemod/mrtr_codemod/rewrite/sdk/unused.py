"""Imports that a move has left without a use, wherever they stand."""

from __future__ import annotations

import ast
import re

from .edits import Edits

_AFTER = re.compile(r"[ \t]*,[ \t]*(#[^\r\n]*)?")
_BEFORE = re.compile(r",\s*$")


def without_unused(before: str, after: str) -> str:
    """The text `after` without the imported names that were used in `before`, and are not any more."""
    old, new = ast.parse(before), ast.parse(after)
    gone = (_imported(new) & _used(old)) - _used(new)
    if not gone:
        return after
    edits = Edits(after)
    for block in _blocks(new):
        for stmt in block:
            if isinstance(stmt, (ast.Import, ast.ImportFrom)):
                _drop(edits, stmt, gone, alone=len(block) == 1)
    return edits.result()


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _imported(tree: ast.Module) -> set[str]:
    return {
        _bound(a)
        for n in ast.walk(tree)
        if isinstance(n, (ast.Import, ast.ImportFrom)) and getattr(n, "module", "") != "__future__"
        for a in n.names
    }


def _used(tree: ast.Module) -> set[str]:
    """Names that are read, and words of strings, which may be annotations or `__all__`."""
    found = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            found |= set(re.findall(r"\w+", node.value))
    return found


def _blocks(tree: ast.Module) -> list[list[ast.stmt]]:
    found = []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                found.append(block)
    return found


def _drop(edits: Edits, stmt: ast.Import | ast.ImportFrom, gone: set[str], *, alone: bool) -> None:
    kept = [a for a in stmt.names if _bound(a) not in gone]
    if len(kept) == len(stmt.names):
        return
    if not kept:
        if alone:
            edits.rewrite(stmt, "pass")
        else:
            edits.replace(*_with_blank(edits, *edits.lines(stmt)), "")
        return
    for index, alias in enumerate(stmt.names):
        if alias in kept:
            continue
        start, end = edits.start(alias), edits.end(alias)
        behind = _AFTER.match(edits.text, end)
        first, last = edits.lines(alias)
        whole = edits.text[first:start] + edits.text[behind.end() if behind else end : last]
        if behind and not whole.strip():
            edits.replace(first, last, "")
        elif behind and any(a in kept for a in stmt.names[index + 1 :]):
            edits.replace(start, behind.end(), "")
        else:
            before = _BEFORE.search(edits.text[:start])
            edits.replace(before.start() if before else start, end, "")


def _with_blank(edits: Edits, start: int, end: int) -> tuple[int, int]:
    """The lines, and the blank one below them if there is none to part above them any more."""
    above, below = edits.text[:start], edits.text[end:]
    alone = not above or above.endswith((edits.newline * 2, ":" + edits.newline))
    return (start, end + len(edits.newline)) if alone and below.startswith(edits.newline) else (start, end)
