"""Expressions and statements that come out the same whenever they are evaluated again."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass

from ..facts import Facts
from ..flow.purity import Purity
from ..flow.scope import names_in, parameters
from ..module_view import Function
from ..valuetypes.model import Type

_LIVE_CONTEXT = frozenset(["session", "request_context", "mcp_server", "fastmcp", "lifespan_context"])
_ITERATORS = ("iter", "zip", "enumerate", "reversed", "map", "filter")
"""What these give is used up as it is read, so a new one is not the same."""
_LOOKS_AT_DISK = ("os.path.exists", "os.path.is", "os.path.get")


@dataclass
class Steady:
    """Judges pieces of one function. Which of its locals are the same in every round is settled elsewhere: here, a
    local counts as the same, what outlives the call (globals, `self`) does not."""

    function: Function
    facts: Facts
    purity: Purity
    locals: frozenset[str]
    mutated: frozenset[str]

    def statement(self, stmt: ast.stmt) -> bool:
        """Evaluating it again has no effect and binds the same values."""
        match stmt:
            case ast.Pass() | ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return True
            case ast.ClassDef(decorator_list=decorators, body=body):
                plain = (ast.AnnAssign, ast.Assign, ast.Pass, ast.Expr, ast.FunctionDef)
                return all(isinstance(s, plain) for s in body) and not any(
                    isinstance(d, ast.Call) for d in decorators
                )
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                outer = [*stmt.decorator_list, *stmt.args.defaults, *filter(None, stmt.args.kw_defaults)]
                return all(isinstance(e, ast.Constant) for e in outer)
            case ast.Assign(targets=targets, value=value):
                return all(names_only(t) for t in targets) and self._binding(value, targets)
            case ast.AnnAssign(target=ast.Name() as target, value=value):
                return value is None or self._binding(value, [target])
            case ast.If(test=test, body=body, orelse=orelse):
                return self.value(test) and all(self.statement(s) for s in [*body, *orelse])
        return False

    def _binding(self, value: ast.expr, targets: list[ast.expr]) -> bool:
        names = {n for t in targets for n in names_in(t).binds}
        if isinstance(value, ast.GeneratorExp) or (
            isinstance(value, ast.Call) and _called_name(value) in _ITERATORS
        ):
            return False
        return self.live_object(value) or (self.value(value) and not (names & self.mutated))

    def value(self, expr: ast.expr) -> bool:
        """Computed from constants and locals alone."""
        if not self.purity.effect_free(expr) or self._goes_through_a_set(expr):
            return False
        for node in ast.walk(expr):
            if isinstance(node, ast.Call) and not self._call(node):
                return False
            owner = node.value if isinstance(node, ast.Attribute) else None
            if isinstance(owner, ast.Name) and self.is_context(owner.id):
                return False
        free = names_in(expr).reads - self.locals
        return all(self.purity.constant_name(n) or hasattr(builtins, n) for n in free)

    def _goes_through_a_set(self, expr: ast.expr) -> bool:
        """Sets have another order in another process; only a set by itself is the same, whatever its order."""
        inner = [n for n in ast.walk(expr) if n is not expr and isinstance(n, ast.expr)]
        return any(_is_set(self.purity.type_of(node)) for node in inner if not isinstance(node, ast.Constant))

    def _call(self, node: ast.Call) -> bool:
        """The result depends on the arguments alone: no function of the module that reads its globals."""
        if isinstance(node.func, ast.Name) and node.func.id in self.facts.functions:
            function = self.facts.functions[node.func.id]
            free = (
                names_in(*function.body).reads
                - names_in(*function.body).binds
                - {a.arg for a in parameters(function)}
            )
            known = all(self.purity.constant_name(n) or hasattr(builtins, n) for n in free)
            calls = [n for s in function.body for n in ast.walk(s) if isinstance(n, ast.Call)]
            return known and all(self._call(n) for n in calls if _called_name(n) != node.func.id)
        return not (self.facts.origin(node.func) or "").startswith(_LOOKS_AT_DISK)

    def is_context(self, name: str) -> bool:
        """`self`, or the context that the framework passes in each round."""
        channel = self.function.channel
        return name in ("self", "cls") or (channel is not None and name == channel.context)

    def live_object(self, value: ast.expr) -> bool:
        """An alias for something that every process has: the session, a module's object, what `__init__` set up."""
        if isinstance(value, ast.Call):
            origin = self.facts.origin(value.func) or ""
            return origin.endswith(".get_context") or origin == "logging.getLogger"
        parts: list[str] = []
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            return False
        if value.id == "self" and parts:
            return self._set_up_once(parts[-1])
        if self.is_context(value.id):
            return bool(parts) and parts[-1] in _LIVE_CONTEXT
        return value.id not in self.locals and value.id in self.facts.values and not parts

    def _set_up_once(self, attribute: str) -> bool:
        """An attribute that only `__init__` binds."""
        declared = self.facts.classes.get(self.function.owner or "")
        if declared is None:
            return False
        methods = [m for m in declared.body if isinstance(m, (ast.FunctionDef, ast.AsyncFunctionDef))]
        stores = [
            n for m in methods if m.name != "__init__" for n in ast.walk(m) if isinstance(n, ast.Attribute)
        ]
        return not any(n.attr == attribute and isinstance(n.ctx, ast.Store) for n in stores)


def _is_set(found: Type | None) -> bool:
    return found is not None and any(m.name in ("set", "frozenset") for m in found.members)


def _called_name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def names_only(target: ast.expr) -> bool:
    """A target of plain names, maybe in a tuple."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(names_only(e) for e in target.elts)
    return isinstance(target, ast.Name)
