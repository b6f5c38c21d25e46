"""The abstract run of a function's body."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace

from mrtr_codemod.analysis.around import TIMERS
from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.outcomes.expression import Evaluation, Refused
from mrtr_codemod.analysis.outcomes.patterns import matches, names_bound
from mrtr_codemod.analysis.outcomes.state import MOST_STATES, Leave, Outcome, Path, State, TooManyPaths
from mrtr_codemod.analysis.outcomes.values import (
    INSTEAD,
    NONE,
    UNKNOWN,
    Ending,
    Known,
    Record,
    Several,
    truth,
)
from mrtr_codemod.analysis.view import ScopeView
from mrtr_codemod.analysis.walk import Definition, Loop, Try, With, caught_names, expressions_of, last_name

ASKING_FAILED = frozenset(
    {"Exception", "BaseException", "MCPError", "McpError", "NoBackChannelError", "ToolError", "FastMCPError",
     "RuntimeError", "NotImplementedError", "AttributeError", "TimeoutError"}
)  # fmt: skip
"""What is raised when the client cannot be asked: by the SDKs, old and new, and by a timeout around the ask."""
Answers = Callable[[ast.Call, Ending], "tuple[Known, ...] | None"]
Given = tuple[tuple[str, Known], ...]


class Budget:
    """How much may still be followed. A statement costs as much as the path to it carries."""

    def __init__(self, work: int) -> None:
        self._left = work

    def spend(self, state: State) -> None:
        """Raises `TooManyPaths` when there is none left."""
        self._left -= 8 + len(state.names) + len(state.acts)
        if self._left < 0:
            raise TooManyPaths


def run(
    view: ScopeView,
    target: ast.Call,
    ending: Ending,
    answers: Answers,
    budget: Budget,
    given: Given = (),
) -> Outcome:
    """What comes of a function when `target`, an ask or a call that leads to one, ends in one way.

    `answers` tells what the call may return then, None if it raises; `given` what is known of the parameters.
    Raises `TooManyPaths`.
    """
    runner = _Run(view, target, ending, answers, budget)
    return Outcome(tuple(runner.block(view.body, State(given))))


class _Run:
    def __init__(
        self, view: ScopeView, target: ast.Call, ending: Ending, answers: Answers, budget: Budget
    ) -> None:
        self.view = view
        self.budget = budget
        self.target = target
        self.evaluation = Evaluation(view, target, answers(target, ending))

    # ------------------------------------------------------------------ blocks

    def block(self, body: list[ast.stmt], state: State) -> list[Path]:
        paths = [Path(Leave.END, state)]
        for statement in body:
            ends = [path for path in paths if path.leave is Leave.END]
            if not ends:
                break
            paths = [path for path in paths if path.leave is not Leave.END]
            for path in ends:
                paths.extend(self.statement(statement, path.state))
            paths = list(dict.fromkeys(paths))
            if len(paths) > MOST_STATES:
                raise TooManyPaths
        return paths

    def statement(self, node: ast.stmt, state: State) -> list[Path]:
        self.budget.spend(state)
        try:
            return list(self._statement(node, state))
        except Refused as refused:
            return [Path(Leave.RAISE, replace(refused.state, asked=True), refused=True)]

    def _statement(self, node: ast.stmt, state: State) -> Iterator[Path]:
        if isinstance(node, Definition):
            yield Path(Leave.END, state)
        elif isinstance(node, ast.If):
            yield from self._if(node, state)
        elif isinstance(node, Loop):
            yield from self._loop(node, state)
        elif isinstance(node, Try):
            yield from self._try(node, state)
        elif isinstance(node, With):
            yield from self._with(node, state)
        elif isinstance(node, ast.Match):
            yield from self._match(node, state)
        elif isinstance(node, (ast.Break, ast.Continue)):
            yield Path(Leave.BREAK if isinstance(node, ast.Break) else Leave.CONTINUE, state)
        elif isinstance(node, ast.Return):
            for value, after in self._values(node.value, state):
                yield Path(Leave.RETURN, after, value)
        elif isinstance(node, ast.Raise):
            for _, after in self._values(node.exc, state):
                yield Path(
                    Leave.RAISE, after, error=last_name(node.exc), refused=node.exc is None and state.inside
                )
        elif isinstance(node, ast.Assert):
            yield from self._assert(node, state)
        else:
            yield from self._simple(node, state)

    def _values(self, node: ast.expr | None, state: State) -> Iterator[tuple[Known, State]]:
        if node is None:
            yield NONE, state
        else:
            yield from self.evaluation.evaluate(node, state)

    def _simple(self, node: ast.stmt, state: State) -> Iterator[Path]:
        if isinstance(node, ast.Assign):
            for value, after in self._values(node.value, state):
                for target in node.targets:
                    after = self._bind(target, value, after)
                yield Path(Leave.END, self.evaluation.note(node, after))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            for value, after in self._values(node.value, state):
                yield Path(Leave.END, self.evaluation.note(node, self._bind(node.target, value, after)))
        elif isinstance(node, ast.AugAssign):
            for _, after in self._values(node.value, state):
                yield Path(Leave.END, self.evaluation.note(node, self._bind(node.target, UNKNOWN, after)))
        else:
            for expression in expressions_of(node):
                _, state = self.evaluation.one(expression, state)
            yield Path(Leave.END, self.evaluation.note(node, state))

    def _bind(self, target: ast.expr, value: Known, state: State) -> State:
        if isinstance(target, ast.Starred):
            target = target.value
        if isinstance(target, ast.Name):
            return state.bind(target.id, value)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            held = state.get(target.value.id)
            return state.bind(target.value.id, UNKNOWN) if isinstance(held, Record) else state
        if isinstance(target, (ast.Tuple, ast.List)):
            known = isinstance(value, Several) and len(value.items) == len(target.elts)
            for position, element in enumerate(target.elts):
                part = value.items[position] if isinstance(value, Several) and known else UNKNOWN
                state = self._bind(element, INSTEAD if value == INSTEAD else part, state)
        return state

    def _assert(self, node: ast.Assert, state: State) -> Iterator[Path]:
        for after, outcome in self._test(node.test, state):
            yield Path(Leave.END, after) if outcome else Path(Leave.RAISE, after, error="AssertionError")

    # ------------------------------------------------------------------ branches

    def _test(self, node: ast.expr, state: State) -> Iterator[tuple[State, bool]]:
        """The branches that a test may take."""
        for value, after in self.evaluation.evaluate(node, state):
            known = truth(value)
            if known is not None:
                yield after, known
                continue
            if value == INSTEAD or (after.inside and self.evaluation.works_out(node)):
                after = replace(after, instead=True)
            elif after.inside and not self.evaluation.is_about_error(node):
                after = replace(after, hedged=True)
            yield after, True
            yield after, False

    def _if(self, node: ast.If, state: State) -> Iterator[Path]:
        for after, outcome in self._test(node.test, state):
            yield from self.block(node.body if outcome else node.orelse, after)

    def _match(self, node: ast.Match, state: State) -> Iterator[Path]:
        for value, after in self.evaluation.evaluate(node.subject, state):
            open_ = True
            for case in node.cases:
                taken = matches(case.pattern, value)
                if taken is False:
                    continue
                entered = after
                for name in names_bound(case.pattern):
                    entered = entered.bind(name, UNKNOWN)
                outcomes = list(self._test(case.guard, entered)) if case.guard else [(entered, True)]
                for inner, passes in outcomes:
                    if passes:
                        yield from self.block(case.body, inner)
                if taken and not any(not passes for _, passes in outcomes):
                    open_ = False
                    break
            if open_:
                yield Path(Leave.END, after)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, state: State) -> Iterator[Path]:
        if isinstance(node, ast.While):
            entries = list(self._test(node.test, state))
        else:
            _, after = self.evaluation.one(node.iter, state)
            entries = [(after, True), (after, False)]
        endless = (
            isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)
        )
        for entered, enters in entries:
            if not enters:
                yield from self.block(node.orelse, entered)
                continue
            if not isinstance(node, ast.While):
                entered = self._bind(node.target, UNKNOWN, entered)
            for path in self.block(node.body, entered):
                if path.leave is Leave.BREAK:
                    yield replace(path, leave=Leave.END)
                elif path.leave in (Leave.END, Leave.CONTINUE):
                    if not endless:
                        yield from self.block(node.orelse, path.state)
                else:
                    yield path

    # ------------------------------------------------------------------ errors

    def _with(self, node: ast.With | ast.AsyncWith, state: State) -> Iterator[Path]:
        swallows: Key | None = None
        for item in node.items:
            _, state = self.evaluation.one(item.context_expr, state)
            if item.optional_vars is not None:
                state = self._bind(item.optional_vars, UNKNOWN, state)
            if _swallows(item.context_expr):
                swallows = key_of(item.context_expr)
        for path in self.block(node.body, state):
            if path.leave is Leave.RAISE and path.refused and swallows:
                yield Path(Leave.END, replace(path.state, caught=swallows))
            else:
                yield path

    def _try(self, node: ast.Try, state: State) -> Iterator[Path]:
        for path in self._guarded(node, state):
            if not node.finalbody:
                yield path
                continue
            for last in self.block(node.finalbody, path.state):
                yield replace(path, state=last.state) if last.leave is Leave.END else last

    def _guarded(self, node: ast.Try, state: State) -> Iterator[Path]:
        for path in self.block(node.body, state):
            if path.leave is Leave.END:
                yield from self.block(node.orelse, path.state)
            elif path.leave is Leave.RAISE:
                yield from self._handled(node, path)
            else:
                yield path

    def _handled(self, node: ast.Try, path: Path) -> Iterator[Path]:
        for handler in node.handlers:
            if not _catches(handler, path):
                continue
            key = (handler.lineno, handler.col_offset, handler.lineno, handler.col_offset + len("except"))
            before = path.state.inside
            if path.refused:
                state = replace(path.state, caught=key, inside=True)
            else:
                over = key if path.state.asked else None
                state = replace(path.state, overruled=over, settled=path.state.acts)
            if handler.name:
                state = state.bind(handler.name, UNKNOWN)
                self.evaluation.errors.add(handler.name)
            for end in self.block(handler.body, state):
                yield (
                    replace(end, state=replace(end.state, inside=before))
                    if end.leave is not Leave.RAISE
                    else end
                )
            return
        yield path


def _catches(handler: ast.ExceptHandler, path: Path) -> bool:
    names = set(caught_names(handler))
    if not names or names & {"BaseException", "Exception"}:
        return handler.type is None or bool(names)
    return bool(names & ASKING_FAILED) if path.refused else path.error in names


def _swallows(node: ast.expr) -> bool:
    """`suppress(Exception)`, or a timeout that just goes on."""
    name = last_name(node)
    if name == "suppress" and isinstance(node, ast.Call):
        return bool({last_name(argument) for argument in node.args} & ASKING_FAILED)
    return name in TIMERS and name.startswith("move_on")
