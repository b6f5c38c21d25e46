"""Which names a piece of a function reads and binds in the function's own scope."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Nested = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass
class Names:
    """Names that are read and bound; `reads` are those a nested function or class may make as well."""

    reads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    deletes: set[str] = field(default_factory=set)

    def __or__(self, other: Names) -> Names:
        return Names(self.reads | other.reads, self.binds | other.binds, self.deletes | other.deletes)


class _Collector(ast.NodeVisitor):
    """Collects names of one scope; the inside of a comprehension, lambda, function or class counts as reads."""

    def __init__(self) -> None:
        self.found = Names()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.found.reads.add(node.id)
        elif isinstance(node.ctx, ast.Store):
            self.found.binds.add(node.id)
        else:
            self.found.reads.add(node.id)
            self.found.deletes.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.found.reads.add(node.target.id)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        # The annotation of a local is not evaluated.
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)
        elif not isinstance(node.target, ast.Name):
            self.visit(node.target)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.found.binds.add(alias.asname or alias.name.partition(".")[0])

    visit_ImportFrom = visit_Import

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self.found.binds.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.found.binds.add(node.rest)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        for outer in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(outer)
        self.found.binds.add(node.name)
        self.found.reads |= free_names(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        self.found.reads |= free_names(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.found.binds.add(node.name)
        for part in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.visit(part)
        inside = names_in(*node.body)
        self.found.reads |= inside.reads

    def _comprehension(self, node: ast.AST) -> None:
        inner = _Collector()
        for child in ast.iter_child_nodes(node):
            inner.visit(child)
        walrus = {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
        self.found.reads |= inner.found.reads - (inner.found.binds - walrus)
        self.found.binds |= walrus

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def names_in(*nodes: ast.AST) -> Names:
    """The names that `nodes` read and bind in their own scope."""
    collector = _Collector()
    for node in nodes:
        collector.visit(node)
    return collector.found


def parameters(node: FunctionNode | ast.Lambda) -> list[ast.arg]:
    args = node.args
    rest = [a for a in (args.vararg, args.kwarg) if a is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *rest]


def free_names(node: FunctionNode | ast.Lambda) -> set[str]:
    """Names that a nested function takes from outside (its own names are not among them)."""
    body = node.body if isinstance(node.body, list) else [node.body]
    inside = names_in(*body)
    declared = _declared(body)
    own = (inside.binds | {a.arg for a in parameters(node)}) - declared
    return (inside.reads | (inside.binds & declared)) - own


def _declared(body: list[ast.stmt] | list[ast.expr]) -> set[str]:
    nodes = (n for stmt in body for n in walk_scope(stmt))
    return {name for n in nodes if isinstance(n, (ast.Global, ast.Nonlocal)) for name in n.names}


def walk_scope(node: ast.AST) -> list[ast.AST]:
    """`node` and all below it that belong to the same scope (a nested function itself, but not its inside)."""
    found = [node]
    if not isinstance(node, Nested):
        for child in ast.iter_child_nodes(node):
            found += walk_scope(child)
    return found


def function_locals(node: FunctionNode) -> set[str]:
    """Parameters and all names that the function binds, without those declared global or nonlocal."""
    handlers = {
        n.name for s in node.body for n in walk_scope(s) if isinstance(n, ast.ExceptHandler) and n.name
    }
    bound = names_in(*node.body).binds | handlers
    return (bound | {a.arg for a in parameters(node)}) - _declared(node.body)


def captured_names(node: FunctionNode) -> set[str]:
    """Locals of the function that a nested function, lambda or class reads (at a time we can't tell)."""
    found: set[str] = set()
    for stmt in node.body:
        for inner in _all_nested(stmt):
            if isinstance(inner, ast.ClassDef):
                found |= names_in(*inner.body).reads
            elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                found |= free_names(inner)
    return found & function_locals(node)


def _all_nested(node: ast.AST) -> list[ast.AST]:
    return [n for n in ast.walk(node) if isinstance(n, Nested)]
