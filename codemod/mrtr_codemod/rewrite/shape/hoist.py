"""Give every ask a statement of its own: `x = await ask(...)`, in exactly the order of evaluation.

`if (await ctx.elicit(q, Ok)).action == "accept":` becomes `answer = await ...` and `if answer.action == "accept":`.
What may skip the ask (`or`, `and`, a conditional expression) becomes an `if` around it. What is evaluated before it,
and could come out otherwise after it, gets a name first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from ..refusal import Refusal
from ..tree import Swap, children_of
from .caught import Caught
from .managers import Managers
from .order import position

Statement = cst.BaseStatement
SmallStatement = cst.BaseSmallStatement


@dataclass
class Hoister:
    """Splits the statements of one function.

    `is_ask` tells an expression that asks (awaited or not) from others; `stable` tells an expression whose value is
    the same before and after an ask; `name_for` chooses a name for an answer that has none; `fresh` makes any name new.
    """

    is_ask: Callable[[cst.BaseExpression], bool]
    stable: Callable[[cst.BaseExpression], bool]
    name_for: Callable[[cst.BaseExpression], str]
    fresh: Callable[[str], str]
    is_group: Callable[[cst.BaseExpression], bool]
    managers: Managers
    unstable_names: frozenset[str] = frozenset()
    """Names that something else may bind while the client thinks: globals, and locals of enclosing functions."""

    def block(self, body: Sequence[Statement]) -> list[Statement]:
        return [new for stmt in body for new in self.statement(stmt)]

    def statement(self, stmt: Statement) -> list[Statement]:
        if not self.asks_in(stmt):
            return [stmt]
        match stmt:
            case cst.SimpleStatementLine():
                return self._line(stmt)
            case cst.If():
                return self._if(stmt)
            case cst.While():
                return self._while(stmt)
            case cst.For():
                before, iterable = self._expression(stmt.iter)
                return self._with_lead(
                    before,
                    stmt.with_changes(
                        iter=iterable, body=self._suite(stmt.body), orelse=self._else(stmt.orelse)
                    ),
                )
            case cst.Try():
                return self._try(stmt)
            case cst.Match():
                return self._match(stmt)
            case cst.With():
                return self._with(stmt)
            case cst.FunctionDef() | cst.ClassDef():
                raise Refusal(
                    "nested-ask", f"the nested `{stmt.name.value}` asks; it may be called from anywhere"
                )
            case _:
                raise Refusal("unknown-statement", f"an ask in a {type(stmt).__name__} statement")

    def asks_in(self, node: cst.CSTNode) -> list[cst.BaseExpression]:
        """The expressions below `node` that ask, outermost ones only."""
        if isinstance(node, cst.BaseExpression) and self.is_ask(node):
            return [node]
        return [found for child in children_of(node) for found in self.asks_in(child)]

    def _suite(self, suite: cst.BaseSuite) -> cst.BaseSuite:
        if isinstance(suite, cst.SimpleStatementSuite):
            suite = cst.IndentedBlock([cst.SimpleStatementLine([s]) for s in suite.body])
        block = cst.ensure_type(suite, cst.IndentedBlock)
        return block.with_changes(body=self.block(block.body))

    def _else(self, orelse: cst.Else | None) -> cst.Else | None:
        return orelse and orelse.with_changes(body=self._suite(orelse.body))

    def _with_lead(self, before: list[Statement], stmt: Statement) -> list[Statement]:
        """Comments above a statement go above what was taken out of it."""
        if before:
            lines = cast("cst.SimpleStatementLine", stmt).leading_lines
            before = [
                cast("cst.SimpleStatementLine", before[0]).with_changes(leading_lines=lines),
                *before[1:],
            ]
            stmt = stmt.with_changes(leading_lines=())
        return [*before, stmt]

    def _line(self, line: cst.SimpleStatementLine) -> list[Statement]:
        out: list[Statement] = []
        for small in line.body:
            out += self._small(small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
        first = cast("cst.SimpleStatementLine", out[0]).with_changes(leading_lines=line.leading_lines)
        out = [first, *out[1:]]
        last = out[-1]
        if isinstance(last, cst.SimpleStatementLine):
            out[-1] = last.with_changes(trailing_whitespace=line.trailing_whitespace)
        return out

    def _small(self, small: SmallStatement) -> list[Statement]:
        if not self.asks_in(small):
            return [_line(small)]
        match small:
            case cst.Expr() if self.is_ask(small.value):
                return self._unit(small.value)[0]
            case cst.Assign() if self.is_ask(small.value) and self._keeps(small):
                return [_line(small)]
            case cst.AnnAssign() if small.value is not None and isinstance(small.target, cst.Name):
                if self.is_ask(small.value) and not isinstance(small.value, cst.NamedExpr):
                    return [_assign(small.target.value, small.value)]
            case cst.AugAssign():
                if not isinstance(small.target, cst.Name) or small.target.value in self.unstable_names:
                    raise Refusal(
                        "evaluation-order", "an augmented assignment reads its target before the ask"
                    )
            case cst.Assign() | cst.Return() | cst.Expr() | cst.Raise():
                if isinstance(small, cst.Raise) and (small.exc is None or small.cause is not None):
                    raise Refusal("evaluation-order", "the ask stands in a `raise`")
            case cst.Assert():
                if self.asks_in(small.msg) if small.msg else False:
                    raise Refusal("evaluation-order", "the ask stands in the message of an `assert`")
            case _:
                raise Refusal(
                    "evaluation-order", f"the ask stands in a `{type(small).__name__.lower()}` statement"
                )
        return self._hoisted(small)

    def _keeps(self, small: cst.Assign) -> bool:
        """`x = ...`, or `x, y = ...` as answers that were asked for together are taken apart."""
        if len(small.targets) != 1 or isinstance(small.value, cst.NamedExpr):
            return False
        target = small.targets[0].target
        if isinstance(target, cst.Tuple) and self.is_group(small.value):
            return all(isinstance(e.value, cst.Name) for e in target.elements)
        return isinstance(target, cst.Name)

    def _hoisted(self, small: SmallStatement) -> list[Statement]:
        field = (
            "exc" if isinstance(small, cst.Raise) else "test" if isinstance(small, cst.Assert) else "value"
        )
        value = getattr(small, field)
        if value is None or not self.asks_in(value):
            raise Refusal("evaluation-order", "the ask stands in the target of an assignment")
        if isinstance(small, cst.Assign) and any(self.asks_in(t) for t in small.targets):
            raise Refusal("evaluation-order", "the ask stands in the target of an assignment")
        before, replaced = self._expression(value)
        return [*before, _line(small.with_changes(**{field: replaced}))]

    def _expression(self, expr: cst.BaseExpression) -> tuple[list[Statement], cst.BaseExpression]:
        """Statements that go before, and `expr` without its asks."""
        before: list[Statement] = []
        while asks := self.asks_in(expr):
            place = position(expr, asks[0])
            swaps: dict[cst.CSTNode, cst.CSTNode] = {}
            for part in place.earlier:
                if not self.stable(part):
                    name = self.fresh("part")
                    before.append(_assign(name, part))
                    swaps[part] = cst.Name(name)
            new, swaps[place.unit] = self._unit(place.unit)
            before += new
            expr = cast("cst.BaseExpression", expr.visit(Swap(swaps)))
        return before, expr

    def _unit(self, unit: cst.BaseExpression) -> tuple[list[Statement], cst.BaseExpression]:
        if isinstance(unit, cst.NamedExpr):
            name = cst.ensure_type(unit.target, cst.Name).value
            return [_assign(name, _bare(unit.value))], cst.Name(name)
        if self.is_ask(unit):
            name = self.fresh(self.name_for(unit))
            return [_assign(name, _bare(unit))], cst.Name(name)
        if isinstance(unit, cst.BooleanOperation):
            name = self.fresh("proceed")
            test: cst.BaseExpression = cst.Name(name)
            if isinstance(unit.operator, cst.Or):
                test = cst.UnaryOperation(cst.Not(), test)
            right = cst.If(test, cst.IndentedBlock([_assign(name, _bare(unit.right))]))
            return self.block([_assign(name, _bare(unit.left)), right]), cst.Name(name)
        if isinstance(unit, cst.IfExp):
            name = self.fresh("choice")
            branches = cst.If(
                _bare(unit.test),
                cst.IndentedBlock([_assign(name, _bare(unit.body))]),
                orelse=cst.Else(cst.IndentedBlock([_assign(name, _bare(unit.orelse))])),
            )
            return self.block([branches]), cst.Name(name)
        raise Refusal("evaluation-order", "the ask stands in a chained comparison, which may leave it out")

    def _if(self, stmt: cst.If) -> list[Statement]:
        before, test = self._expression(stmt.test)
        orelse: cst.If | cst.Else | None = stmt.orelse
        if isinstance(orelse, cst.If) and self.asks_in(orelse):
            nested = self._if(orelse)
            orelse = (
                cst.ensure_type(nested[0], cst.If)
                if len(nested) == 1
                else cst.Else(cst.IndentedBlock(nested))
            )
        elif isinstance(orelse, cst.Else):
            orelse = self._else(orelse)
        return self._with_lead(
            before, stmt.with_changes(test=test, body=self._suite(stmt.body), orelse=orelse)
        )

    def _while(self, stmt: cst.While) -> list[Statement]:
        if not self.asks_in(stmt.test):
            return [stmt.with_changes(body=self._suite(stmt.body), orelse=self._else(stmt.orelse))]
        if stmt.orelse is not None:
            raise Refusal("evaluation-order", "the ask stands in the condition of a loop with an `else`")
        before, test = self._expression(stmt.test)
        leave = cst.If(negated(test), cst.IndentedBlock([_line(cst.Break())]))
        body = cst.ensure_type(self._suite(stmt.body), cst.IndentedBlock)
        return [
            stmt.with_changes(
                test=cst.Name("True"), body=body.with_changes(body=[*before, leave, *body.body])
            )
        ]

    def _try(self, stmt: cst.Try) -> list[Statement]:
        if stmt.finalbody is not None and self.asks_in(stmt.finalbody):
            raise Refusal("ask-in-finally", "the ask stands in a `finally` block")
        if any(self.asks_in(handler) for handler in stmt.handlers):
            return self.block(Caught(self.asks_in, self.fresh).moved(stmt))
        return [stmt.with_changes(body=self._suite(stmt.body), orelse=self._else(stmt.orelse))]

    def _with(self, stmt: cst.With) -> list[Statement]:
        if any(self.asks_in(item) for item in stmt.items):
            raise Refusal("evaluation-order", "the ask stands in the head of a `with`")
        as_try = self.managers.as_try(stmt)
        if as_try is not None:
            return self.statement(as_try)
        self.managers.refuse_held(stmt)
        return [stmt.with_changes(body=self._suite(stmt.body))]

    def _match(self, stmt: cst.Match) -> list[Statement]:
        before, subject = self._expression(stmt.subject)
        cases = []
        for case in stmt.cases:
            if case.guard is not None and self.asks_in(case.guard):
                raise Refusal("evaluation-order", "the ask stands in the guard of a `case`")
            cases.append(case.with_changes(body=self._suite(case.body)))
        return self._with_lead(before, stmt.with_changes(subject=subject, cases=cases))


def negated(test: cst.BaseExpression) -> cst.BaseExpression:
    """`not (test)`, without the parentheses where they say nothing."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    simple = isinstance(test, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Await)) or test.lpar
    inner = test if simple else test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), inner)


def _bare(expr: cst.BaseExpression) -> cst.BaseExpression:
    """The expression without parentheses, unless they hold more than one line together."""
    if expr.lpar and "\n" not in cst.Module([]).code_for_node(expr):
        return expr.with_changes(lpar=(), rpar=())
    return expr


def _line(small: SmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([small])


def _assign(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    return _line(cst.Assign([cst.AssignTarget(cst.Name(name))], value))
