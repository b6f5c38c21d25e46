"""Expressions in the order in which they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Try = (ast.Try, getattr(ast, "TryStar", ast.Try))
"""`try` with `except` or with `except*` (Python 3.11)."""
With = (ast.With, ast.AsyncWith)
Loop = (ast.For, ast.AsyncFor, ast.While)
Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression before the expression itself; bodies of lambdas do not run."""
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, COMPREHENSIONS):
        for generator in node.generators:
            yield from evaluated(generator.iter)
            for test in generator.ifs:
                yield from evaluated(test)
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for element in elements:
            yield from evaluated(element)
    else:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.expr_context, ast.operator, ast.stmt)):
                yield from evaluated(child)
    yield node


def expressions_of(statement: ast.stmt) -> list[ast.expr]:
    """The expressions that run directly in a statement, in order; those of its blocks left out."""
    if isinstance(statement, ast.Assign):
        return [statement.value, *statement.targets]
    if isinstance(statement, ast.AugAssign):
        return [statement.target, statement.value]
    if isinstance(statement, ast.AnnAssign):
        return [statement.value, statement.target] if statement.value else []
    if isinstance(statement, (ast.If, ast.While)):
        return [statement.test]
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return [statement.iter]
    if isinstance(statement, With):
        return [item.context_expr for item in statement.items]
    if isinstance(statement, ast.Match):
        return [statement.subject]
    if isinstance(statement, (*Definition, *Try)):
        return []
    return [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)]


def last_name(node: ast.expr | None) -> str:
    """The last name of a dotted expression, of the function if it is a call: `suppress` of `contextlib.suppress(E)`."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def caught_names(handler: ast.ExceptHandler) -> tuple[str, ...]:
    """The last names of the classes that an `except` catches; empty for a bare one."""
    if handler.type is None:
        return ()
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return tuple(last_name(kind) for kind in types)
