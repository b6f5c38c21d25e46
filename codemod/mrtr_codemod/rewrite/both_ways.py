"""Imports of the support module that hold in its package, and where a file of the package is started by its path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

import libcst as cst

from .imports import module_of

_RELATIVE = re.compile(r"\.mrtr_steps\w*$")
_TEST = "__package__"
Line = cst.SimpleStatementLine | cst.BaseCompoundStatement


def unfolded(tree: cst.Module) -> cst.Module:
    """The tree with the imports as its package has them, each a statement of the module."""
    body: list[Line] = []
    for stmt in tree.body:
        inner = _folded_lines(stmt)
        body += _led(inner, cast("cst.If", stmt).leading_lines) if inner else [stmt]
    return tree.with_changes(body=body)


def folded(tree: cst.Module) -> cst.Module:
    """The tree with those imports under a test whether the package is known."""
    found = [stmt for stmt in tree.body if _is_relative(stmt)]
    if not found:
        return tree
    first = cast("cst.SimpleStatementLine", found[0])
    block = _block([cst.Module([stmt.with_changes(leading_lines=[])]).code for stmt in found])
    body = [stmt for stmt in tree.body if stmt is first or stmt not in found]
    body[body.index(first)] = block.with_changes(leading_lines=first.leading_lines)
    return tree.with_changes(body=body)


def folded_text(text: str) -> str:
    """The source of a support module with its imports of the others folded; they are lines of their own."""
    lines = re.compile(r"(?:^from mrtr_steps\w* import .+\n)+", re.MULTILINE)
    return lines.sub(
        lambda m: _written([f"from .{line[5:]}" for line in m[0].splitlines(keepends=True)]), text
    )


def _written(lines: Sequence[str]) -> str:
    own = "".join(f"    {line}" for line in lines)
    beside = "".join(f"    {line.replace('from .', 'from ', 1)}" for line in lines)
    return f"if {_TEST}:\n{own}else:  # started by its path\n{beside}"


def _block(lines: Sequence[str]) -> cst.If:
    return cst.ensure_type(cst.parse_statement(_written(lines)), cst.If)


def _folded_lines(stmt: Line) -> list[cst.SimpleStatementLine]:
    if not isinstance(stmt, cst.If) or not isinstance(stmt.test, cst.Name) or stmt.test.value != _TEST:
        return []
    inner = list(stmt.body.body)
    ours = all(isinstance(line, cst.SimpleStatementLine) and _is_relative(line) for line in inner)
    return cast("list[cst.SimpleStatementLine]", inner) if ours else []


def _led(
    lines: list[cst.SimpleStatementLine], lead: Sequence[cst.EmptyLine]
) -> list[cst.SimpleStatementLine]:
    return [lines[0].with_changes(leading_lines=lead), *lines[1:]]


def _is_relative(stmt: Line) -> bool:
    return _RELATIVE.match(module_of(stmt) or "") is not None
