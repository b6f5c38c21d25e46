"""Imports: add what new code needs where a formatter would put it, drop what only old code needed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

import libcst as cst

from .flow.scope import names_in


def add_imports(tree: cst.Module, wanted: Mapping[str, str]) -> cst.Module:
    """Add `from module import name` for each dotted origin; joined to an import of the same module if there is one."""
    by_module: dict[str, list[tuple[str, str]]] = {}
    for origin, local in sorted(wanted.items()):
        module, _, name = origin.rpartition(".")
        by_module.setdefault(module, []).append((name, local))
    body = list(tree.body)
    for module, names in by_module.items():
        if not _join(body, module, names):
            _insert(body, module, names)
    return tree.with_changes(body=body)


def module_of(stmt: cst.BaseStatement | cst.BaseSmallStatement) -> str | None:
    """The module of a top-level `from module import ...` line."""
    if (
        isinstance(stmt, cst.SimpleStatementLine)
        and len(stmt.body) == 1
        and isinstance(stmt.body[0], cst.ImportFrom)
    ):
        node = stmt.body[0]
        dots = "." * len(node.relative)
        return dots + (cst.Module([]).code_for_node(node.module) if node.module is not None else "")
    return None


def _join(
    body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement], module: str, names: list[tuple[str, str]]
) -> bool:
    for index, stmt in enumerate(body):
        if module_of(stmt) != module:
            continue
        line = cast("cst.SimpleStatementLine", stmt)
        node = cast("cst.ImportFrom", line.body[0])
        if isinstance(node.names, cst.ImportStar):
            continue
        body[index] = line.with_changes(body=[_extended(node, names)])
        return True
    return False


def _extended(node: cst.ImportFrom, names: list[tuple[str, str]]) -> cst.ImportFrom:
    assert not isinstance(node.names, cst.ImportStar)
    old = list(node.names)
    for name, local in names:
        place = next((i for i, a in enumerate(old) if _sort_key(_alias_name(a)) > _sort_key(name)), len(old))
        comma = old[0].comma if len(old) > 1 else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        new = _alias(name, local)
        if place == len(old):
            last = old[-1]
            trailing = last.comma
            old[-1] = last.with_changes(comma=comma)
            old.append(new.with_changes(comma=trailing))
        else:
            old.insert(place, new.with_changes(comma=comma))
    return node.with_changes(names=old)


def _alias(name: str, local: str) -> cst.ImportAlias:
    asname = cst.AsName(cst.Name(local)) if local != name else None
    return cst.ImportAlias(cst.Name(name), asname)


def _alias_name(alias: cst.ImportAlias) -> str:
    return cst.Module([]).code_for_node(alias.name)


def _sort_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as import sorters order the names of one module."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return (kind, name)


def _category(module: str) -> int:
    if module == "__future__":
        return 0
    if module.startswith("."):
        return 3
    return 1 if module.partition(".")[0] in sys.stdlib_module_names else 2


def _import_key(stmt: cst.SimpleStatementLine | cst.BaseCompoundStatement) -> tuple[int, int, str] | None:
    """(section, `import` before `from`, module) of a top-level import line."""
    module = module_of(stmt)
    if module is not None:
        return (_category(module), 1, module.lower())
    if isinstance(stmt, cst.SimpleStatementLine) and isinstance(stmt.body[0], cst.Import):
        name = cst.Module([]).code_for_node(stmt.body[0].names[0].name)
        return (_category(name), 0, name.lower())
    return None


def _insert(
    body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement], module: str, names: list[tuple[str, str]]
) -> None:
    aliases = sorted(names, key=lambda n: _sort_key(n[0]))
    text = ", ".join(name if name == local else f"{name} as {local}" for name, local in aliases)
    line = cast("cst.SimpleStatementLine", cst.parse_statement(f"from {module} import {text}"))
    key = (_category(module), 1, module.lower())
    place, before = _start(body), None
    for index, stmt in enumerate(body):
        found = _import_key(stmt)
        if found is None:
            if index > place and before is not None:
                break
            continue
        if found <= key:
            place, before = index + 1, found
    new_section = before is None or before[0] != key[0]
    following = body[place] if place < len(body) else None
    if new_section:
        line = line.with_changes(leading_lines=[cst.EmptyLine(indent=False)] if place else [])
        after = _import_key(following) if following is not None else None
        if after is not None:
            next_line = cast("cst.SimpleStatementLine", following)
            if after[0] == key[0]:
                line = line.with_changes(leading_lines=next_line.leading_lines)
                body[place] = next_line.with_changes(leading_lines=[])
            elif not next_line.leading_lines:
                body[place] = next_line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    body.insert(place, line)


def _start(body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement]) -> int:
    """Behind the docstring."""
    first = body[0] if body else None
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
        return 1
    return 0


def drop_unused(tree: cst.Module, before: cst.Module) -> cst.Module:
    """Drop the imported names that were used before and are not any more."""
    gone = _unused(tree.code) - _unused(before.code)
    if not gone:
        return tree
    body: list[cst.SimpleStatementLine | cst.BaseCompoundStatement] = []
    lead: list[cst.EmptyLine] = []
    for stmt in tree.body:
        left = _without(stmt, gone)
        if left is None:
            # The blank line and the comments above it go on to the next line.
            lead += cast("cst.SimpleStatementLine", stmt).leading_lines
        elif lead:
            line = cast("cst.SimpleStatementLine", left)
            body.append(line.with_changes(leading_lines=[*lead, *line.leading_lines]))
            lead = []
        else:
            body.append(left)
    return tree.with_changes(body=body)


def drop_unused_inside(function: cst.FunctionDef, before: cst.FunctionDef) -> cst.FunctionDef:
    """Drop the names that a function imports itself, and that it used before and does not use any more."""
    gone = _unused(_alone(function)) - _unused(_alone(before))
    return cast("cst.FunctionDef", function.visit(_DropImports(gone))) if gone else function


def _alone(function: cst.FunctionDef) -> str:
    return cst.Module([function.with_changes(leading_lines=())]).code


class _DropImports(cst.CSTTransformer):
    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self.names = names

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        left = _without(updated_node, self.names)
        return cst.RemoveFromParent() if left is None else cast("cst.SimpleStatementLine", left)


def _unused(code: str) -> set[str]:
    """The names that imports anywhere bind, and that neither code nor an expression in a string uses."""
    parsed = ast.parse(code)
    imports = [n for n in ast.walk(parsed) if isinstance(n, (ast.Import, ast.ImportFrom))]
    used = _names(parsed)
    for node in ast.walk(parsed):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                used |= _names(ast.parse(node.value, mode="eval"))
    return {name for node in imports for name in names_in(node).binds} - used


def _names(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _without(
    stmt: cst.SimpleStatementLine | cst.BaseCompoundStatement, gone: set[str]
) -> cst.SimpleStatementLine | cst.BaseCompoundStatement | None:
    if not isinstance(stmt, cst.SimpleStatementLine) or len(stmt.body) != 1:
        return stmt
    node = stmt.body[0]
    if not isinstance(node, (cst.Import, cst.ImportFrom)) or isinstance(node.names, cst.ImportStar):
        return stmt
    if isinstance(node, cst.ImportFrom) and node.module is not None and module_of(stmt) == "__future__":
        return stmt
    kept = [alias for alias in node.names if _bound(alias, node) not in gone]
    if len(kept) == len(node.names):
        return stmt
    if not kept:
        return None
    kept[-1] = kept[-1].with_changes(comma=node.names[-1].comma)
    return stmt.with_changes(body=[node.with_changes(names=kept)])


def _bound(alias: cst.ImportAlias, node: cst.Import | cst.ImportFrom) -> str:
    if alias.asname is not None:
        return cst.ensure_type(alias.asname.name, cst.Name).value
    name = cst.Module([]).code_for_node(alias.name)
    return name if isinstance(node, cst.ImportFrom) else name.partition(".")[0]
