"""Expressions in an abstract run: their value, what they do, and whether the ask in them raises."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace

from mrtr_codemod.analysis.calls import key_of
from mrtr_codemod.analysis.outcomes.state import Act, State
from mrtr_codemod.analysis.outcomes.values import (
    INSTEAD,
    UNKNOWN,
    Answer,
    Const,
    Known,
    Record,
    Several,
    attribute,
    is_instance,
    same,
    truth,
)
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import COMPREHENSIONS, evaluated, last_name
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import ClassValue, External, FunctionValue, InstanceValue

_BUILTINS = frozenset(dir(builtins))
_LOOKS_ONLY = frozenset(
    {"get", "items", "keys", "values", "format", "join", "split", "strip", "lower", "upper", "startswith", "endswith",
     "replace", "model_dump", "model_dump_json", "isoformat", "casefold", "title", "count", "index", "copy", "encode",
     "decode", "rstrip", "lstrip", "partition", "rpartition", "splitlines", "debug", "info", "warning", "error",
     "exception", "critical", "log", "find", "isdigit", "as_posix", "exists", "is_dir", "is_file", "dumps", "loads"}
)  # fmt: skip
_TRANSPARENT = frozenset({"wait_for", "shield", "create_task", "ensure_future"})
_SAME_TEXT = frozenset({"lower", "strip", "casefold"})


class Refused(Exception):
    """The ask raised; `state` is where the path was then."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state


class Evaluation:
    """Evaluates the expressions of one function. `answers` is what the ask may return, None if it raises."""

    def __init__(self, view: ScopeView, target: ast.Call, answers: tuple[Known, ...] | None) -> None:
        self.view = view
        self.target = target
        self.answers = answers
        self.answer: Known = answers[0] if answers else UNKNOWN
        self._acts: dict[ast.AST, Act] = {}
        self.errors: set[str] = set()
        """Names of caught exceptions."""

    def evaluate(self, node: ast.expr, state: State) -> Iterator[tuple[Known, State]]:
        """The values that an expression may have; several only if the ask that stands in it has several answers."""
        choices = self.answers if self.answers is not None and self._holds_target(node) else (UNKNOWN,)
        for answer in choices:
            self.answer = answer
            yield self.one(node, state)

    def one(self, node: ast.expr, state: State) -> tuple[Known, State]:
        """The value of an expression and the state after it. Raises `Refused`."""
        if isinstance(node, (ast.Await, ast.Starred)):
            return self.one(node.value, state)
        if isinstance(node, ast.NamedExpr):
            value, state = self.one(node.value, state)
            return value, state.bind(node.target.id, value)
        if isinstance(node, ast.Constant):
            return Const(node.value), state
        if isinstance(node, ast.Name):
            return state.get(node.id) or UNKNOWN, state
        if isinstance(node, ast.Attribute):
            return self._attribute(node, state)
        if isinstance(node, ast.Call):
            return self._call(node, state)
        if isinstance(node, ast.BoolOp):
            return self._short_circuit(node, state)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            value, state = self.one(node.operand, state)
            known = truth(value)
            return (Const(not known) if known is not None else _vague(value)), state
        if isinstance(node, ast.Compare):
            return self._compare(node, state)
        if isinstance(node, ast.IfExp):
            return self._conditional(node, state)
        if isinstance(node, ast.Tuple):
            items = []
            for element in node.elts:
                value, state = self.one(element, state)
                items.append(value)
            return Several(tuple(items)), state
        return self._rest(node, state)

    def note(self, node: ast.stmt, state: State) -> State:
        """The state after a statement that may itself change something."""
        effect = self.view.file.analysis.effects.of(node, self.view.scope)
        return state.act(self._act(node)) if effect is not None else state

    def is_about_error(self, node: ast.expr) -> bool:
        """Whether a test looks at the exception that was caught."""
        return any(isinstance(part, ast.Name) and part.id in self.errors for part in ast.walk(node))

    def works_out(self, node: ast.expr) -> bool:
        """Whether a test calls something, other than to look at the exception."""
        calls = [
            part for part in ast.walk(node) if isinstance(part, ast.Call) and self._is_act(part, looking=True)
        ]
        return bool(calls) and not self.is_about_error(node)

    def _act(self, node: ast.expr | ast.stmt) -> Act:
        inner = node.value if isinstance(node, (ast.Expr, ast.Await)) else node
        if inner not in self._acts:
            self._acts[inner] = Act(ast.unparse(inner), key_of(inner))
        return self._acts[inner]

    def _holds_target(self, node: ast.expr) -> bool:
        return any(part is self.target for part in ast.walk(node))

    def _attribute(self, node: ast.Attribute, state: State) -> tuple[Known, State]:
        if (
            isinstance(node.value, ast.Name)
            and state.get(node.value.id) is None
            and node.value.id[:1].isupper()
        ):
            return Const((node.value.id, node.attr)), state  # `Verdict.YES`
        value, state = self.one(node.value, state)
        return attribute(value, node.attr), state

    def _call(self, node: ast.Call, state: State) -> tuple[Known, State]:
        receiver: Known = UNKNOWN
        if isinstance(node.func, ast.Attribute):
            receiver, state = self.one(node.func.value, state)
        values: list[Known] = []
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            value, state = self.one(argument, state)
            values.append(value)
        if node is self.target:
            if self.answers is None:
                raise Refused(state)
            return self.answer, replace(state, asked=True)
        known = self._looks(node, receiver, values) or self._record(node, values)
        if known is not None:
            return known, state
        if self._is_act(node):
            state = state.act(self._act(node))
        return (INSTEAD if state.inside and self._is_act(node, looking=True) else UNKNOWN), state

    def _looks(self, node: ast.Call, receiver: Known, values: list[Known]) -> Known | None:
        """Calls whose result is known: `isinstance`, `getattr`, methods of a known text, `wait_for`, `gather`."""
        name = last_name(node)
        first = values[0] if values else UNKNOWN
        if name in _TRANSPARENT and isinstance(first, Answer):
            return first
        if name == "gather" and any(isinstance(value, Answer) for value in values):
            return Several(tuple(values[: len(node.args)]))
        if isinstance(node.func, ast.Name):
            if name == "isinstance" and len(node.args) == 2:
                kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
                verdict = is_instance(first, tuple(last_name(kind) for kind in kinds))
                return UNKNOWN if verdict is None else Const(verdict)
            if name == "bool" and node.args:
                known = truth(first)
                return UNKNOWN if known is None else Const(known)
            if name == "getattr" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
                return attribute(first, str(node.args[1].value))
            if name == "str" and isinstance(first, Const) and isinstance(first.value, str):
                return first
        elif name in _SAME_TEXT and isinstance(receiver, Const) and isinstance(receiver.value, str):
            return receiver
        return None

    def _record(self, node: ast.Call, values: list[Known]) -> Record | None:
        """What a class of plain data makes of fields that are given by name."""
        evaluator = self.view.file.analysis.evaluator
        made = evaluator.values(lower(node.func), self.view.scope) if node.keywords and not node.args else ()
        if (
            len(made) != 1
            or not isinstance(made[0], ClassValue)
            or not evaluator.is_plain_data(made[0].scope)
        ):
            return None
        given = zip((keyword.arg for keyword in node.keywords), values, strict=True)
        return Record(tuple((name, value) for name, value in given if name is not None))

    def _is_act(self, node: ast.Call, *, looking: bool = False) -> bool:
        """Whether a call may do something; with `looking`, whether it may at least find something out."""
        if self.view.asks_at(node):
            return looking
        scope = self.view.scope
        if self.view.file.analysis.effects.of(node, scope) is not None:
            return True
        ref = lower(node.func)
        if ref is None or ref[0] in ("logging", "logger", "log", "print"):
            return False
        values = self.view.file.analysis.evaluator.values(ref, scope)
        if not values:
            return ref[-1].lstrip(".") not in _LOOKS_ONLY and not (len(ref) == 1 and ref[0][:1].isupper())
        return any(self._may_act(value, looking) for value in values)

    def _may_act(self, value: object, looking: bool) -> bool:
        if isinstance(value, (ClassValue, InstanceValue)):
            return False
        if isinstance(value, FunctionValue):
            return looking or self.view.file.analysis.effects.of_function(value.scope) is not None
        if not isinstance(value, External) or ":" in value.name:
            return False
        last = value.name.removesuffix("()").rpartition(".")[2]
        if value.name.partition(".")[0].removesuffix("()") in _BUILTINS or last in _LOOKS_ONLY:
            return False
        return looking and not last[:1].isupper()

    def _short_circuit(self, node: ast.BoolOp, state: State) -> tuple[Known, State]:
        stops_at = isinstance(node.op, ast.Or)
        unknown: Known | None = None
        value: Known = UNKNOWN
        for operand in node.values:
            value, state = self.one(operand, state)
            known = truth(value)
            if known is stops_at:
                return value, state
            if known is None:
                unknown = INSTEAD if value == INSTEAD or unknown == INSTEAD else UNKNOWN
        return (unknown if unknown is not None else value), state

    def _compare(self, node: ast.Compare, state: State) -> tuple[Known, State]:
        left, state = self.one(node.left, state)
        right, state = self.one(node.comparators[0], state)
        for further in node.comparators[1:]:
            _, state = self.one(further, state)
        if len(node.ops) > 1:
            return UNKNOWN, state
        verdict = _compared(node.ops[0], left, right, node.comparators[0])
        if verdict is None:
            return (INSTEAD if INSTEAD in (left, right) else UNKNOWN), state
        return Const(verdict), state

    def _conditional(self, node: ast.IfExp, state: State) -> tuple[Known, State]:
        test, state = self.one(node.test, state)
        known = truth(test)
        if known is not None:
            return self.one(node.body if known else node.orelse, state)
        _, first = self.one(node.body, state)
        _, second = self.one(node.orelse, first)
        return _vague(test), second

    def _rest(self, node: ast.expr, state: State) -> tuple[Known, State]:
        if isinstance(node, ast.Lambda):
            return UNKNOWN, state
        if isinstance(node, COMPREHENSIONS):
            for part in evaluated(node):
                if isinstance(part, ast.Call):
                    _, state = self._in_comprehension(part, state)
            return UNKNOWN, state
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                _, state = self.one(child, state)
        return UNKNOWN, state

    def _in_comprehension(self, node: ast.Call, state: State) -> tuple[Known, State]:
        if node is self.target:
            if self.answers is None:
                raise Refused(state)
            return UNKNOWN, replace(state, asked=True)
        return UNKNOWN, state.act(self._act(node)) if self._is_act(node) else state


def _vague(value: Known) -> Known:
    return INSTEAD if value == INSTEAD else UNKNOWN


def _compared(operator: ast.cmpop, left: Known, right: Known, node: ast.expr) -> bool | None:
    if isinstance(operator, (ast.Eq, ast.Is)):
        return same(left, right)
    if isinstance(operator, (ast.NotEq, ast.IsNot)):
        verdict = same(left, right)
        return None if verdict is None else not verdict
    if isinstance(operator, (ast.In, ast.NotIn)):
        items = right.items if isinstance(right, Several) else _literals(node)
        results = [same(left, item) for item in items] if items else [None]
        found = True if True in results else (None if None in results else False)
        return found if found is None or isinstance(operator, ast.In) else not found
    return None


def _literals(node: ast.expr) -> tuple[Known, ...]:
    if isinstance(node, (ast.List, ast.Set)) and all(isinstance(e, ast.Constant) for e in node.elts):
        return tuple(Const(e.value) for e in node.elts if isinstance(e, ast.Constant))
    return ()
