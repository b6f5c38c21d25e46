"""Imports of what moved or was renamed, and the uses of what they bind."""

from __future__ import annotations

import ast
import re

from . import memory
from .file import File
from .names import LITERALS, PUT_BACK, gone, moved, moved_module

_FROM = re.compile(r"from\s+([\w.]+)\s+import\b")
_SDKS = ("mcp", "mcp_types", "fastmcp")


def is_sdk(origin: str | None) -> bool:
    """Whether a dotted origin lies in one of the SDKs."""
    return origin is not None and origin.partition(".")[0] in _SDKS


def fix_imports(file: File) -> None:
    """Point the imports at the new places; a name follows its import where that is sure to be the same name."""
    renamed = _followed(file)
    for node in file.nodes:
        if isinstance(node, ast.ImportFrom) and not node.level and is_sdk(node.module):
            _import_from(file, node, renamed)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if is_sdk(alias.name):
                    _plain_import(file, alias)
        elif isinstance(node, ast.Name) and node.id in renamed:
            file.edits.rewrite(node, renamed[node.id])
        elif isinstance(node, ast.Attribute):
            _chain(file, node)
    for text in _annotations_in_strings(file.tree):
        _string(file, text, renamed)


# ── which names follow ────────────────────────────────────────────────────────────────────────


def _followed(file: File) -> dict[str, str]:
    """For names imported as they are and used here, the new name that all uses take."""
    found = {}
    used = {n.id for n in file.nodes if isinstance(n, ast.Name)} | _words_in_annotations(file.tree)
    for local, origin in file.facts.imports.items():
        if origin in LITERALS:
            found[local] = LITERALS[origin]
            continue
        old, new = origin.rpartition(".")[2], moved(origin).rpartition(".")[2]
        if not is_sdk(origin) or local != old or new == old or (not _is_class(old) and origin.count(".") < 3):
            continue
        # One that is not used here is there for others to import.
        if local in used and new not in file.facts.names and not _bound_otherwise(file, local):
            found[local] = new
    return found


def _is_class(name: str) -> bool:
    return name[:1].isupper()


def _bound_otherwise(file: File, name: str) -> bool:
    for node in file.nodes:
        match node:
            case ast.arg(arg=bound) | ast.Name(id=bound, ctx=ast.Store()):
                pass
            case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
                pass
            case ast.Constant(value=str(bound)):
                # In `__all__`, it is the name that others know.
                pass
            case _:
                continue
        if bound == name and node not in _annotations_in_strings(file.tree):
            return True
    return False


# ── import statements ─────────────────────────────────────────────────────────────────────────


def _import_from(file: File, node: ast.ImportFrom, renamed: dict[str, str]) -> None:
    module = node.module or ""
    places: dict[str, list[str]] = {}
    for alias in node.names:
        origin = module if alias.name == "*" else f"{module}.{alias.name}"
        advice = gone(origin)
        if advice is not None and not (origin == memory.ORIGIN and memory.is_moved(file)):
            _tell(file, node, origin, advice)
        new = moved_module(module) if alias.name == "*" else moved(origin).rpartition(".")[0]
        places.setdefault(new, []).append(_alias(file, alias, origin, renamed))
    text = file.edits.text[file.edits.start(node) : file.edits.end(node)]
    found = _FROM.match(text)
    if found is None:
        return
    if len(places) == 1:
        (place,) = places
        if place != module:
            start = file.edits.start(node)
            file.edits.replace(start + found.start(1), start + found.end(1), place)
        for alias in node.names:
            if alias.name != "*":
                file.edits.rewrite(alias, _alias(file, alias, f"{module}.{alias.name}", renamed))
        return
    indent = " " * node.col_offset
    lines = [f"from {place} import {', '.join(names)}" for place, names in sorted(places.items())]
    file.edits.rewrite(node, f"{file.edits.newline}{indent}".join(lines))


def _tell(file: File, node: ast.stmt | ast.alias, origin: str, advice: str) -> None:
    """Tell of an import of what is gone; one of the module itself keeps the whole file from being imported."""
    text = f"`{origin}` is gone: {advice}"
    if file.function_around(node) is not None:
        file.notes.add(node, text)
    elif origin.startswith(PUT_BACK):
        file.notes.add(node, text)
        file.stuck = True
    else:
        file.cannot_move(node, text)


def _alias(file: File, alias: ast.alias, origin: str, renamed: dict[str, str]) -> str:
    old = alias.name
    new = old if old == "*" or origin in LITERALS else moved(origin).rpartition(".")[2]
    if alias.asname is not None:
        return f"{new} as {alias.asname}"
    return new if new == old or renamed.get(old) == new else f"{new} as {old}"


def _plain_import(file: File, alias: ast.alias) -> None:
    advice = gone(alias.name)
    if advice is not None:
        _tell(file, alias, alias.name, advice)
    new = moved_module(alias.name)
    if new != alias.name:
        start = file.edits.start(alias)
        file.edits.replace(start, start + len(alias.name), new)


# ── uses ──────────────────────────────────────────────────────────────────────────────────────


def _chain(file: File, node: ast.Attribute) -> None:
    """`mcp.server.fastmcp.FastMCP`, `types.Content` and the like."""
    origin = file.origin(node)
    parent = file.parents.get(node)
    if origin is None or not is_sdk(origin):
        return
    inner = file.origin(node.value) or ""
    advice = gone(origin)
    if advice is not None and gone(inner) is None:
        file.notes.add(node, f"`{ast.unparse(node)}` is gone: {advice}")
    if origin in LITERALS:
        file.edits.rewrite(node, LITERALS[origin])
    elif moved(origin) != origin and not (
        isinstance(parent, ast.Attribute)
        and moved(file.origin(parent) or "") != _appended(file, node, parent)
    ):
        file.edits.rewrite(node, _rebased(file, ast.unparse(node), origin))


def _appended(file: File, node: ast.Attribute, parent: ast.Attribute) -> str:
    return f"{moved(file.origin(node) or '')}.{parent.attr}"


def _rebased(file: File, path: str, origin: str) -> str:
    """The new path to what `path` led to: `fastmcp.FastMCP` as `fastmcp.MCPServer` under the same import."""
    start = path.partition(".")[0]
    base, new = moved(file.facts.imports[start]), moved(origin)
    if new.startswith(f"{base}."):
        return f"{start}{new[len(base) :]}"
    return new if file.facts.imports[start] == start else file.named(new)


# ── annotations in strings ────────────────────────────────────────────────────────────────────


def _annotations_in_strings(tree: ast.Module) -> list[ast.Constant]:
    found = []
    for node in ast.walk(tree):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.AST):
                found += [
                    n
                    for n in ast.walk(annotation)
                    if isinstance(n, ast.Constant) and isinstance(n.value, str)
                ]
    return found


def _words_in_annotations(tree: ast.Module) -> set[str]:
    return {word for text in _annotations_in_strings(tree) for word in re.findall(r"\w+", str(text.value))}


def _string(file: File, node: ast.Constant, renamed: dict[str, str]) -> None:
    start, end = file.edits.start(node), file.edits.end(node)
    written = file.edits.text[start:end]
    new = written
    for old, name in renamed.items():
        new = re.sub(rf"(?<![\w.]){old}\b", name, new)
    if new != written:
        file.edits.replace(start, end, new)
