"""How many rounds a function may take: the asks on its longest path, those of one moment counted once."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from mrtr_codemod.analysis.callgraph import Edge, EdgeKind
from mrtr_codemod.analysis.calls import key_of
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import COMPREHENSIONS, Definition, Loop, Try, With, expressions_of, last_name

UNBOUNDED = math.inf
_CONCURRENT = frozenset({"gather", "wait", "as_completed"})
_STARTERS = frozenset({"start_soon", "create_task", "ensure_future", "start"})


@dataclass(frozen=True)
class Rounds:
    """`through` is the longest path to the end of a block (-1: there is none), `most` the longest out of it."""

    through: float
    most: float

    def then(self, other: Rounds) -> Rounds:
        if self.through < 0:
            return self
        through = self.through + other.through if other.through >= 0 else -1
        return Rounds(through, max(self.most, self.through + other.most))

    def otherwise(self, other: Rounds) -> Rounds:
        return Rounds(max(self.through, other.through), max(self.most, other.most))


_NONE = Rounds(0, 0)


class RoundCounter:
    """Counts the rounds of one scope. `of_callee` tells those of a function that it calls."""

    def __init__(self, view: ScopeView, of_callee: Callable[[Edge], float]) -> None:
        self.view = view
        self.of_callee = of_callee

    def count(self) -> float:
        """The rounds on the longest path, `UNBOUNDED` if there is no such number."""
        body = self.block(self.view.body)
        wrapped = [
            edge for edges in self.view.edges.values() for edge in edges if edge.kind is EdgeKind.DECORATOR
        ]
        return max(body.most, body.through, 0) + sum(self.of_callee(edge) for edge in wrapped)

    def loop_bound(self, node: ast.For | ast.AsyncFor | ast.While) -> float:
        """How often the body of a loop may run."""
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self._iterations(node.iter)
        return self._counted(node)

    def asks_for_each(self, node: ast.AST) -> bool:
        """Whether a comprehension asks for each of its elements, one after the other."""
        if not isinstance(node, COMPREHENSIONS) or node in self._gathered:
            return False
        return math.isinf(self._comprehension(node))

    @cached_property
    def _gathered(self) -> set[ast.AST]:
        """The comprehensions among the arguments of `gather`."""
        calls = [
            node
            for node in self.view.nodes()
            if isinstance(node, ast.Call) and last_name(node) in _CONCURRENT
        ]
        arguments = [argument for call in calls for argument in call.args]
        return {a.value if isinstance(a, ast.Starred) else a for a in arguments}

    def block(self, body: list[ast.stmt]) -> Rounds:
        total = _NONE
        for statement in body:
            total = total.then(self.statement(statement))
        return total

    def statement(self, node: ast.stmt) -> Rounds:
        if isinstance(node, Definition):
            return _NONE
        own = sum(self.weight(expression) for expression in expressions_of(node))
        here = Rounds(own, own)
        if isinstance(node, ast.If):
            return here.then(self.block(node.body).otherwise(self.block(node.orelse)))
        if isinstance(node, Loop):
            return here.then(self._loop(node))
        if isinstance(node, With):
            return here.then(self._with(node))
        if isinstance(node, Try):
            return self._try(node)
        if isinstance(node, ast.Match):
            total = _NONE
            for case in node.cases:
                total = total.otherwise(self.block(case.body))
            return here.then(total)
        if isinstance(node, ast.Raise) and self.view.asks_at(node):
            return Rounds(-1, own + 1)
        if isinstance(node, (ast.Return, ast.Raise)):
            return Rounds(-1, own)
        return here

    def weight(self, node: ast.AST) -> float:
        """The rounds that evaluating an expression takes."""
        if isinstance(node, ast.Lambda):
            return 0
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node)
        if isinstance(node, ast.IfExp):
            return self.weight(node.test) + max(self.weight(node.body), self.weight(node.orelse))
        return sum(
            self.weight(child) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)
        )

    def _call(self, node: ast.Call) -> float:
        parts = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
        weights = [self.weight(part) for part in parts]
        if last_name(node) in _CONCURRENT:
            return max([self._at_once(part) for part in parts], default=0)
        own = 0.0
        if self.view.ask_at(node) is not None:
            own = 1
        else:
            own = max((self.of_callee(edge) for edge in self.view.edges.get(key_of(node), ())), default=0)
        return sum(weights) + own

    def _at_once(self, node: ast.expr) -> float:
        """An argument of `gather`: of a comprehension, all elements ask in the same round."""
        if isinstance(node, ast.Starred):
            node = node.value
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            return self.weight(node.elt)
        if isinstance(node, (ast.List, ast.Tuple)):
            return max((self.weight(element) for element in node.elts), default=0)
        return self.weight(node)

    def _comprehension(self, node: ast.AST) -> float:
        first, *_ = node.generators  # type: ignore[attr-defined]
        outside = self.weight(first.iter)
        parts = [child for child in ast.walk(node) if child is not node and isinstance(child, ast.Call)]
        inside = sum(self.weight(part) for part in parts) - outside
        return outside + (UNBOUNDED if inside > 0 else 0)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> Rounds:
        body = self.block(node.body)
        once = max(body.through, body.most, 0)
        if isinstance(node, ast.While):
            once += self.weight(node.test)
        bound = self.loop_bound(node)
        total = once * bound if once else 0
        return Rounds(total, total).then(self.block(node.orelse)).otherwise(Rounds(total, total))

    def _with(self, node: ast.With | ast.AsyncWith) -> Rounds:
        started = [
            self.weight(call)
            for statement in node.body
            for call in ast.walk(statement)
            if isinstance(call, ast.Call) and last_name(call) in _STARTERS
        ]
        body = self.block(node.body)
        if len(started) < 2:
            return body
        spared = sum(started) - max(started)  # tasks of one group ask in the same round
        return Rounds(max(body.through - spared, 0) if body.through >= 0 else -1, max(body.most - spared, 0))

    def _try(self, node: ast.Try) -> Rounds:
        body = self.block(node.body)
        failed = _NONE
        for handler in node.handlers:
            failed = failed.otherwise(self.block(handler.body))
        rescued = (
            Rounds(max(body.most, 0), body.most).then(failed) if node.handlers else Rounds(-1, body.most)
        )
        return body.then(self.block(node.orelse)).otherwise(rescued).then(self.block(node.finalbody))

    def _iterations(self, node: ast.expr) -> float:
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)) and not any(
            isinstance(e, ast.Starred) for e in node.elts
        ):
            return len(node.elts)
        if (
            isinstance(node, ast.Call)
            and last_name(node) in ("enumerate", "reversed", "sorted")
            and node.args
        ):
            return self._iterations(node.args[0])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            numbers = [self._number(argument) for argument in node.args]
            if all(number is not None for number in numbers) and numbers:
                return len(range(*[int(number) for number in numbers if number is not None]))
        constant = self._constant(node)
        if isinstance(constant, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
            return len(constant.keys if isinstance(constant, ast.Dict) else constant.elts)
        return UNBOUNDED

    def _counted(self, node: ast.While) -> float:
        """`while n < 3` (or `while True` with `if n >= 3: return`) whose body adds one to `n` each time."""
        steps = {
            statement.target.id
            for statement in node.body
            if isinstance(statement, ast.AugAssign)
            and isinstance(statement.op, ast.Add)
            and isinstance(statement.target, ast.Name)
        }
        for test in _conjuncts(node.test):
            if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id in steps:
                limit = self._number(test.comparators[0])
                if limit is not None and isinstance(test.ops[0], (ast.Lt, ast.LtE, ast.NotEq)):
                    return limit + isinstance(test.ops[0], ast.LtE)
        return UNBOUNDED

    def _number(self, node: ast.expr) -> int | None:
        constant = self._constant(node)
        if isinstance(constant, ast.Constant) and type(constant.value) is int:
            return constant.value
        return None

    def _constant(self, node: ast.expr) -> ast.expr | None:
        """A literal, or what a name of the module is bound to."""
        if not isinstance(node, ast.Name):
            return node
        found = [
            statement.value
            for statement in self.view.file.tree.body
            if isinstance(statement, (ast.Assign, ast.AnnAssign))
            for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
            if isinstance(target, ast.Name) and target.id == node.id
        ]
        return found[0] if len(found) == 1 else None


def _conjuncts(node: ast.expr) -> list[ast.expr]:
    return list(node.values) if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
