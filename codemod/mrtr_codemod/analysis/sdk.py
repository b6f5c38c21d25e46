"""Which public names of the SDKs a file uses, and whether it uses an SDK at all."""

from __future__ import annotations

import ast
import re

from mrtr_codemod.analysis.view import FileView
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.roles import in_family, local_part
from mrtr_codemod.names.values import ClassValue, External, FunctionValue, Value

_SERVER_MADE = re.compile(r"\b(?:FastMCP|MCPServer|Server)\(")


def sdk_names(view: FileView, node: ast.expr, scope: ScopeId) -> frozenset[str]:
    """The names that an expression has in the SDKs, without their modules: `ErrorData`,
    `Context().elicit`.

    A class of the repo goes by the SDK's classes that it derives from as well. Objects of the client side
    have no name here.
    """
    return frozenset(name for value in view.values(node, scope) for name in _names(view, value) if name)


def _names(view: FileView, value: Value) -> tuple[str, ...]:
    if isinstance(value, External):
        return (local_part(value.name),)
    if not isinstance(value, (ClassValue, FunctionValue)):
        return ()
    module = view.analysis.project.module(value.scope.path)
    own = value.scope.qualname if module is not None and in_family(module.dotted) else ""
    if isinstance(value, FunctionValue):
        return (own,)
    return (own, *map(local_part, view.analysis.evaluator.external_bases(value.scope)))


def uses_sdk(view: FileView) -> bool:
    """Whether a file imports one of the SDKs anywhere."""
    imported = [alias.name for node in view.outside_asserts(ast.Import) for alias in node.names]
    imported += [node.module or "" for node in view.outside_asserts(ast.ImportFrom) if not node.level]
    return any(map(in_family, imported))


def is_client_test(view: FileView) -> bool:
    """Whether a file is a test that makes no server: the messages in it are those that a client gets."""
    name = view.path.rpartition("/")[2]
    is_test = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return is_test and not _SERVER_MADE.search(view.source.text)


def argument(call: ast.Call, position: int | None, *names: str) -> ast.expr | None:
    """The argument of a call that is passed under one of `names`, or else at `position`."""
    for keyword in call.keywords:
        if keyword.arg in names:
            return keyword.value
    if position is None or len(call.args) <= position:
        return None
    given = call.args[: position + 1]
    return None if any(isinstance(value, ast.Starred) for value in given) else given[position]


def constant(node: ast.expr | None) -> object:
    """The value of a literal, negative numbers included; None for everything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = constant(node.operand)
        return -value if isinstance(value, (int, float)) else None
    return node.value if isinstance(node, ast.Constant) else None


def items(node: ast.Dict) -> dict[str, ast.expr]:
    """The entries of a dict display whose keys are string literals."""
    return {
        key.value: value
        for key, value in zip(node.keys, node.values)  # noqa: B905  (always of equal length)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def is_none(node: ast.expr | None) -> bool:
    """Whether an expression is the literal `None`."""
    return isinstance(node, ast.Constant) and node.value is None
