"""Expressions that only look, and among them those that give the same value in a later round."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from ..facts import Facts, FunctionNode
from ..valuetypes.methods import LOOKS_ONLY, PURE_BUILTINS, PURE_MODULES, UNAMBIGUOUS
from ..valuetypes.model import Type
from .scope import names_in, parameters

_LEAVES = (ast.Constant, ast.Name, ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
_PLAIN = (
    ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Compare, ast.Tuple, ast.List,
    ast.Set, ast.Dict, ast.Subscript, ast.Slice, ast.Attribute, ast.Starred, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.keyword, ast.Lambda, ast.arguments, ast.arg,
)  # fmt: skip
_MATCH_SAFE_STMTS = (
    ast.Return,
    ast.If,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.For,
    ast.Pass,
    ast.Expr,
    ast.Raise,
)


@dataclass
class Purity:
    """Judges expressions of one function. `type_of` tells the type of an expression, if it can."""

    facts: Facts
    type_of: Callable[[ast.expr], Type | None] = lambda expr: None
    local: frozenset[str] = frozenset()
    _busy: set[str] = field(default_factory=set)

    def effect_free(self, expr: ast.expr) -> bool:
        """Evaluating `expr` again changes nothing (but may give another value)."""
        return self._looks_only(expr)

    def _looks_only(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return self._call_looks_only(node)
        if not isinstance(node, (*_LEAVES, *_PLAIN)):
            return False
        return all(self._looks_only(child) for child in ast.iter_child_nodes(node))

    def _call_looks_only(self, node: ast.Call) -> bool:
        parts = [*node.args, *(k.value for k in node.keywords)]
        return all(self._looks_only(p) for p in parts) and self._callee_looks_only(node.func, node)

    def _callee_looks_only(self, func: ast.expr, call: ast.Call) -> bool:
        origin = self.facts.origin(func)
        if origin is not None:
            return origin.startswith(PURE_MODULES) and not origin.startswith(("pathlib.Path.", "json.load."))
        if isinstance(func, ast.Name):
            if func.id in self.local:
                return False
            if func.id in self.facts.functions:
                return self.pure_function(func.id)
            if func.id in self.facts.classes:
                return not any(
                    isinstance(s, (ast.FunctionDef,)) and s.name in ("__init__", "__new__", "__post_init__")
                    for s in self.facts.classes[func.id].body
                )
            return func.id in PURE_BUILTINS
        if isinstance(func, ast.Attribute):
            if not self._looks_only(func.value):
                return False
            if func.attr in UNAMBIGUOUS:
                return True
            owner = self.type_of(func.value)
            return func.attr in LOOKS_ONLY and owner is not None and owner.without_none().name in (
                "str", "list", "dict", "set", "frozenset", "tuple", "bytes",
            )  # fmt: skip
        return False

    def pure_function(self, name: str) -> bool:
        """A function of the module whose body does nothing but compute from what it can see."""
        function = self.facts.functions[name]
        if name in self._busy or isinstance(function, ast.AsyncFunctionDef) or function.decorator_list:
            return False
        self._busy.add(name)
        try:
            own = frozenset(names_in(*function.body).binds | {a.arg for a in parameters(function)})
            inner = Purity(self.facts, lambda expr: None, own, self._busy)
            inner.type_of = _typed(self.facts, function)
            return all(inner._statement_looks_only(s) for s in function.body)
        finally:
            self._busy.discard(name)

    def _statement_looks_only(self, stmt: ast.stmt) -> bool:
        if not isinstance(stmt, _MATCH_SAFE_STMTS):
            return False
        targets = [*getattr(stmt, "targets", []), *([stmt.target] if hasattr(stmt, "target") else [])]
        if any(isinstance(n, (ast.Attribute, ast.Subscript)) for t in targets for n in ast.walk(t)):
            return False
        if isinstance(stmt, ast.Raise):
            return True
        inner = [*getattr(stmt, "body", []), *getattr(stmt, "orelse", [])]
        exprs = [v for v in (getattr(stmt, n, None) for n in ("value", "test", "iter")) if v is not None]
        return all(self._looks_only(e) for e in exprs) and all(self._statement_looks_only(s) for s in inner)

    def constant_name(self, name: str) -> bool:
        """A module-level name that stands for the same thing in every process."""
        if name in self.facts.functions or name in self.facts.classes or name in self.facts.imports:
            return True
        value = self.facts.values.get(name)
        return value is not None and _immutable(value)


def _typed(facts: Facts, function: FunctionNode) -> Callable[[ast.expr], Type | None]:
    from ..valuetypes.infer import Inference
    from ..valuetypes.local import local_types

    return Inference(facts, local_types(function, facts, {}))


def _immutable(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, ast.Tuple):
        return all(_immutable(e) for e in value.elts)
    if isinstance(value, ast.UnaryOp):
        return _immutable(value.operand)
    if isinstance(value, ast.BinOp):
        return _immutable(value.left) and _immutable(value.right)
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "frozenset"
