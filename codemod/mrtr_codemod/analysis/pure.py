"""What runs before an ask and may be run again without a thought."""

from __future__ import annotations

import ast
import builtins

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.analysis.calls import own_nodes
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import ClassValue, External, FunctionValue, InstanceValue

_BUILTINS = frozenset(dir(builtins)) - {"open", "input", "exec", "eval", "next", "__import__", "print"}
_LOOKS_ONLY = frozenset(
    {"get", "items", "keys", "values", "format", "join", "split", "strip", "lower", "upper", "startswith", "endswith",
     "replace", "isoformat", "casefold", "title", "count", "index", "copy", "encode", "decode", "rstrip", "lstrip",
     "partition", "rpartition", "splitlines", "find", "isdigit", "isalpha", "as_posix", "model_dump", "union"}
)  # fmt: skip
_PURE_MODULES = frozenset(
    {"re", "math", "json", "decimal", "fractions", "string", "textwrap", "functools", "itertools", "operator",
     "dataclasses", "collections", "enum", "typing", "urllib", "pydantic", "copy", "statistics", "html", "base64"}
)  # fmt: skip


class Purity:
    """Tells calls that only look from those that may do or find something."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._functions: dict[ScopeId, bool] = {}

    def doubtful(self, view: ScopeView, before: ast.AST) -> ast.Call | None:
        """The first call above a node that may do or find something; effects that are known are not among them."""
        for node in view.nodes():
            if isinstance(node, ast.Call) and _above(node, before) and not view.asks_at(node):
                known = self.analysis.effects.of(node, view.scope) is not None
                if not known and not self._looks_only(node, view.scope):
                    return node
        return None

    def _looks_only(self, node: ast.Call, scope: ScopeId) -> bool:
        ref = lower(node.func)
        if ref is None:
            return False
        if len(ref) > 1 and ref[-1].lstrip(".") in _LOOKS_ONLY:
            return True
        values = self.analysis.evaluator.values(ref, scope)
        return bool(values) and all(self._value_looks_only(value) for value in values)

    def _value_looks_only(self, value: object) -> bool:
        if isinstance(value, (ClassValue, InstanceValue)):
            return isinstance(value, ClassValue)
        if isinstance(value, FunctionValue):
            return self._function(value.scope)
        if not isinstance(value, External):
            return False
        root = value.name.partition(".")[0].removesuffix("()")
        return ":" in value.name or root in _PURE_MODULES or root in _BUILTINS

    def _function(self, scope: ScopeId) -> bool:
        if scope not in self._functions:
            self._functions[scope] = True
            node = self.analysis.project.node(scope)
            calls = (
                [inner for inner in own_nodes(node) if isinstance(inner, ast.Call)]
                if node is not None
                else []
            )
            pure = self.analysis.effects.of_function(scope) is None
            self._functions[scope] = pure and all(self._looks_only(call, scope) for call in calls)
        return self._functions[scope]


def _above(node: ast.Call, before: ast.AST) -> bool:
    here = (node.end_lineno, node.end_col_offset)
    there = (before.lineno, before.col_offset)  # type: ignore[attr-defined]
    return here <= there
