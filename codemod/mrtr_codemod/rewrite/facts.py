"""What a module says about its names: imports, functions, classes, constants."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Protocol

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Neighbours(Protocol):
    """The other files of the project, as the imports of one file reach them."""

    def find(self, origin: str) -> tuple[Facts, str] | None:
        """The file that defines what is imported as `origin`, and its name there."""

    def spelled(self, module: str) -> str:
        """How the file imports from a module of the project, given by its full dotted name."""


@dataclass
class Facts:
    """The top level of one module, and the origin of every imported name."""

    imports: dict[str, str] = field(default_factory=dict)
    """Local name to dotted origin: `Context` to `mcp.server.mcpserver.Context`."""
    lasting: frozenset[str] = frozenset()
    """The imported names that the module has at run time, also after a function has ended."""
    functions: dict[str, FunctionNode] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    """Module-level names that are bound just once, to what they are bound."""
    annotations: dict[str, ast.expr] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    """The line of each `def`, nested ones too, in the order of the source."""
    names: frozenset[str] = frozenset()
    """Every identifier that occurs in the file, also in strings that could be annotations."""
    asks_stubs: bool = False
    """Whether the types of what imported functions give are looked up in their stubs, which takes its time."""
    dotted: str = ""
    """The full name of the module."""
    neighbours: Neighbours | None = None

    def find(self, origin: str) -> tuple[Facts, str] | None:
        """The file of the project that defines a name, and the name there: `origin` is how this file imports it, or
        `module:Class` as types go by."""
        return self.neighbours.find(origin) if self.neighbours is not None else None

    def declared(self, name: str) -> tuple[Facts, ast.ClassDef] | None:
        """A class by the name that its type goes by, and the facts of its file."""
        if name in self.classes:
            return self, self.classes[name]
        found = self.find(name) if ":" in name or "." in name else None
        if found is None or found[1] not in found[0].classes:
            return None
        return found[0], found[0].classes[found[1]]

    def origin(self, expr: ast.expr | None) -> str | None:
        """Dotted origin of a name or attribute chain that starts at an import, else None."""
        if isinstance(expr, ast.Name):
            return self.imports.get(expr.id)
        if isinstance(expr, ast.Attribute):
            base = self.origin(expr.value)
            return f"{base}.{expr.attr}" if base else None
        if isinstance(expr, ast.Subscript):
            return self.origin(expr.value)
        if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
            parsed = parse_annotation(expr)
            return None if parsed is expr else self.origin(parsed)
        return None


def parse_annotation(expr: ast.expr) -> ast.expr:
    """The expression inside a string annotation; `expr` itself if it is none."""
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        try:
            return ast.parse(expr.value, mode="eval").body
        except SyntaxError:
            return expr
    return expr


def facts_of(tree: ast.Module, package: str = "") -> Facts:
    """Facts of a parsed module. `package` is the dotted package that its relative imports start from."""
    facts = Facts()
    bound: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                facts.imports[name] = alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            for alias in node.names:
                facts.imports[alias.asname or alias.name] = f"{module}.{alias.name}" if module else alias.name
    facts.lasting = frozenset(_imported_at_run_time(tree.body))
    for stmt in _top_level(tree.body):
        if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)):
            facts.functions[stmt.name] = stmt
        elif isinstance(stmt, ast.ClassDef):
            facts.classes[stmt.name] = stmt
            for inner in stmt.body:
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    facts.functions[f"{stmt.name}.{inner.name}"] = inner
        elif (
            isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)
        ):
            name = stmt.targets[0].id
            bound[name] = bound.get(name, 0) + 1
            facts.values[name] = stmt.value
        elif isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
            facts.annotations[stmt.target.id] = stmt.annotation
            if stmt.value is not None:
                bound[stmt.target.id] = bound.get(stmt.target.id, 0) + 1
                facts.values[stmt.target.id] = stmt.value
    rebound = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for name in [n for n in facts.values if bound[n] > 1 or n in rebound]:
        del facts.values[name]
    functions = (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    facts.lines = sorted(n.lineno for n in functions)
    facts.names = frozenset(identifiers(tree))
    return facts


def _top_level(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of the module's own scope, those under `if` and `try` as well."""
    found = []
    for stmt in body:
        found.append(stmt)
        for part in ("body", "orelse", "finalbody"):
            if isinstance(stmt, (ast.If, ast.Try)):
                found += _top_level(getattr(stmt, part, []))
        if isinstance(stmt, ast.Try):
            for handler in stmt.handlers:
                found += _top_level(handler.body)
    return found


def _imported_at_run_time(body: list[ast.stmt]) -> set[str]:
    found: set[str] = set()
    for stmt in body:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in stmt.names}
        elif isinstance(stmt, ast.If) and "TYPE_CHECKING" in ast.unparse(stmt.test):
            found |= _imported_at_run_time(stmt.orelse)
        elif isinstance(stmt, (ast.If, ast.Try)):
            parts = [*stmt.body, *stmt.orelse, *(s for h in getattr(stmt, "handlers", []) for s in h.body)]
            found |= _imported_at_run_time(parts)
    return found


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    base = parts[: len(parts) - (node.level - 1)] if node.level > 1 else parts
    return ".".join([*base, *([node.module] if node.module else [])])


def identifiers(tree: ast.AST) -> set[str]:
    """Every identifier below a node, also the words of short strings: they may be annotations."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=asname):
                found |= {*name.split("."), *([asname] if asname else [])}
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found |= set(names)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                found.add(name)
            case ast.keyword(arg=str(name)):
                found.add(name)
            case ast.Constant(value=str(text)) if len(text) < 200:
                found |= {
                    word for word in text.replace("[", " ").replace("]", " ").split() if word.isidentifier()
                }
    return found
