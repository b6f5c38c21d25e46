"""Rewrite one module: which functions change, what becomes of their helpers, and where everything goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import libcst as cst

from .asks import Framework
from .assemble import Assembly, assemble
from .followed import Entry, entries_of
from .fresh import FreshNames
from .module_view import Function, ModuleView
from .refusal import Refusal
from .restarts import restarts_only
from .rewritten import Rewritten, Style, Terms, rewrite_function
from .support import SUPPORT, support_names
from .syntax import all_params, calls_in, mentions_of, names_below


class Level(Enum):
    """How much attention a rewrite wants."""

    SAFE = "safe"
    REVIEW = "review"
    MANUAL = "manual"


@dataclass(frozen=True)
class HandlerVerdict:
    """What becomes of one handler, and why. `changed` tells whether this run rewrote it."""

    name: str
    line: int
    method: str
    level: Level
    rule: str = ""
    reason: str = ""
    changed: bool = False


@dataclass(frozen=True)
class FileRewrite:
    """What becomes of one module: its new source, and the verdicts on its handlers."""

    after: str
    handlers: tuple[HandlerVerdict, ...]
    support: Framework | None
    """The support module that the new code imports, if it imports one."""


Wanted = Callable[[HandlerVerdict], bool]


@dataclass
class Engine:
    """Rewrites one module. `package` is the dotted path before the support module's name, as in `from .a import b`."""

    view: ModuleView
    package: str = ""
    width: int = 100
    style: Style = Style.STEPS
    entries: Sequence[Entry] | None = None
    """What the lint's analysis says of this file; None: ask it about this file alone."""
    barred: dict[Function, Refusal] = field(default_factory=dict)
    refusals: dict[Function, Refusal] = field(default_factory=dict)
    _called: dict[Function, list[Function]] = field(default_factory=dict)

    def run(self, wanted: Wanted, marked: Wanted = lambda verdict: True) -> FileRewrite:
        """The module with the handlers that `wanted` chooses rewritten; of those that can't be, the ones that `marked`
        chooses get their marker."""
        asking = self._asking()
        self._take_in(self.entries if self.entries is not None else entries_of(self.view.tree.code), asking)
        while True:
            result = self._once(asking, wanted, marked)
            left = (
                {e.line for e in entries_of(result.after)}
                if any(v.changed for v in result.handlers)
                else set()
            )
            failed = self._still_asking(result, left)
            if not failed:
                return result
            for function in failed:
                self.barred[function] = Refusal("ask-left", "an ask is left in it that can't be followed")

    def _once(self, asking: list[Function], wanted: Wanted, marked: Wanted) -> FileRewrite:
        trial = self._attempt(asking, {})
        verdicts = {f: self._verdict(f, trial) for f in asking if f.method is not None}
        chosen = [f for f, v in verdicts.items() if v.level is not Level.MANUAL and wanted(v)]
        done = {f: r for f, r in trial.items() if f in self._reached(chosen, trial)}
        renamed = self._twins(done)
        if renamed:
            final = self._attempt(asking, renamed)
            done = {f: final[f] for f in done}
        stays = {f: self.refusals[f] for f, v in verdicts.items() if v.level is Level.MANUAL and marked(v)}
        framework = self._framework_of(list(done) or asking)
        support = self._support_names(framework, asking)
        module = self.package + SUPPORT[framework]
        after = assemble(Assembly(self.view, done, frozenset(renamed), stays, module, support))
        using = any(r.support for r in done.values())
        final_verdicts = tuple(replace(v, changed=f in chosen) for f, v in verdicts.items())
        return FileRewrite(after, final_verdicts, framework if using else None)

    def _take_in(self, entries: Sequence[Entry], asking: list[Function]) -> None:
        """Add what the lint's analysis knows: handlers registered in other ways, asks beyond this file."""
        by_line = {f.line: f for f in self.view.functions.values()}
        for entry in entries:
            # Lines may have moved since; names tell apart all but functions that are defined twice.
            again = f"{entry.name}#2" in self.view.functions
            function = by_line.get(entry.line) if again else self.view.functions.get(entry.name)
            if function is None:
                continue
            if function.method is None or not entry.may_ask:
                function.method = entry.method
            if function not in asking:
                asking.append(function)
                self.barred[function] = Refusal(
                    "unfollowed-ask", "how it asks can't be followed within this file"
                )
            if not entry.may_ask:
                self.barred[function] = Refusal("no-round", f"`{entry.method}` can't end with a question")
        if any(entry.method == "middleware" for entry in entries):
            for function in asking:
                self.barred.setdefault(function, Refusal("ask-in-middleware", "a middleware asks around it"))

    def _still_asking(self, result: FileRewrite, left: set[int]) -> list[Function]:
        """Handlers that were rewritten and in which the analysis still finds an ask."""
        if not left:
            return []
        again = ModuleView.of(result.after)
        names = {f.qualname for f in again.functions.values() if f.line in left}
        changed = {v.name for v in result.handlers if v.changed}
        return [f for f in self.view.functions.values() if f.qualname in names & changed]

    # ── who asks ──────────────────────────────────────────────────────────────────────────────

    def _asking(self) -> list[Function]:
        """Functions that ask, themselves or through another, callees before their callers."""
        direct = [f for f in self.view.functions.values() if self._asks_itself(f)]
        found = list(direct)
        changed = True
        while changed:
            changed = False
            for function in self.view.functions.values():
                reached = [*self._callees(function), *self._wrapped_by(function)]
                if function not in found and any(c in found for c in reached):
                    found.append(function)
                    changed = True
        return _callees_first(found, self._callees)

    def _asks_itself(self, function: Function) -> bool:
        if self.view.raises_url_required(function):
            return True
        own = self.view.mentions(function.node.body, function)
        inner = [
            m
            for other in self.view.functions.values()
            if other.outer == function.qualname and other is not function
            for m in self.view.mentions(other.node.body, function)
        ]
        return len(own) > len(inner) or bool(inner)

    def _callees(self, function: Function) -> list[Function]:
        if function not in self._called:
            self._called[function] = self._find_callees(function)
        return self._called[function]

    def _find_callees(self, function: Function) -> list[Function]:
        found = [self.view.callee(call, function) for call in calls_in(function.node.body)]
        return [f for f in dict.fromkeys(found) if f is not None]

    def _wrapped_by(self, function: Function) -> list[Function]:
        """The functions inside the decorators of a function."""
        outer = [d for decorator in function.node.decorators if (d := self._decorator_function(decorator))]
        return [
            f for f in self.view.functions.values() for d in outer if f.qualname.startswith(f"{d.qualname}.")
        ]

    # ── what can be rewritten ─────────────────────────────────────────────────────────────────

    def _attempt(self, asking: list[Function], renamed: dict[Function, str]) -> dict[Function, Rewritten]:
        done: dict[Function, Rewritten] = {}
        self.refusals = {}
        names = FreshNames(self.view.facts.names)
        support = self._support_names(self._framework_of(asking), asking)
        known = set(asking)
        restarting = {f for f in asking if restarts_only(f, self.view, self._callees)}
        terms = Terms(
            self.view,
            known.__contains__,
            restarting.__contains__,
            names,
            support,
            renamed,
            self.width,
            self.style,
        )
        for function in asking:
            outcome = self._one(function, known, terms)
            if isinstance(outcome, Refusal):
                self.refusals[function] = outcome
            else:
                done[function] = outcome
        return done

    def _one(self, function: Function, asking: set[Function], terms: Terms) -> Rewritten | Refusal:
        """The function rewritten, or why not. Its callees were tried before it."""
        if function in self.barred:
            return self.barred[function]
        try:
            self._refuse_early(function, asking)
            rewritten = rewrite_function(function, terms)
        except Refusal as refusal:
            return refusal
        for callee in rewritten.callees:
            if callee in self.refusals:
                inner = self.refusals[callee]
                return Refusal(inner.rule, f"in `{callee.name}`: {inner.reason}")
        return rewritten

    def _refuse_early(self, function: Function, asking: set[Function]) -> None:
        if function.node.asynchronous is None and function.method is None and _is_nested(function, self.view):
            raise Refusal("nested-ask", f"the nested `{function.name}` asks; it may be called from anywhere")
        if (
            function.method is None
            and function.outer is not None
            and self.view.functions[function.outer] in asking
        ):
            raise Refusal("nested-ask", f"the nested `{function.name}` asks; it may be called from anywhere")
        for param in all_params(function.node):
            if param.default is not None and any(f.name in names_below(param.default) for f in asking):
                raise Refusal(
                    "ask-in-dependency",
                    f"a function that asks fills `{param.name.value}`",
                )
        for callee in self._callees(function):
            if callee in asking and callee.method is not None:
                raise Refusal(
                    "calls-a-handler", f"it calls `{callee.name}`, which is a handler of its own and asks"
                )
            if callee in asking and self._reaches(callee, function, set()):
                raise Refusal("recursion", f"`{callee.name}` and this function call each other")
        for decorator in function.node.decorators:
            inner = self._decorator_function(decorator)
            if inner is not None and any(
                f in asking and f.qualname.startswith(f"{inner.qualname}.") for f in asking
            ):
                raise Refusal("ask-in-decorator", f"the decorator `{inner.name}` asks")

    def _decorator_function(self, decorator: cst.Decorator) -> Function | None:
        expr = decorator.decorator
        called = expr.func if isinstance(expr, cst.Call) else expr
        return self.view.functions.get(called.value) if isinstance(called, cst.Name) else None

    def _reaches(self, start: Function, goal: Function, seen: set[Function]) -> bool:
        if start is goal:
            return True
        seen.add(start)
        return any(self._reaches(c, goal, seen) for c in self._callees(start) if c not in seen)

    def _reached(self, handlers: list[Function], trial: dict[Function, Rewritten]) -> set[Function]:
        found: set[Function] = set()
        stack = list(handlers)
        while stack:
            function = stack.pop()
            if function not in found:
                found.add(function)
                stack += trial[function].callees
        return found

    def _twins(self, done: dict[Function, Rewritten]) -> dict[Function, str]:
        """Helpers that something else still uses as they are: these stay, and a twin takes the steps."""
        names = FreshNames(self.view.facts.names)
        return {
            f: names(f"{f.name}_in_steps") for f in done if f.method is None and self._used_elsewhere(f, done)
        }

    def _used_elsewhere(self, helper: Function, done: dict[Function, Rewritten]) -> bool:
        inside = sum(mentions_of(helper.name, f.node) for f in done)
        return mentions_of(helper.name, self.view.tree) > inside or helper.name in _exported(self.view.tree)

    # ── verdicts ──────────────────────────────────────────────────────────────────────────────

    def _verdict(self, function: Function, done: dict[Function, Rewritten]) -> HandlerVerdict:
        line = function.line
        method = function.method or ""
        rewritten = done.get(function)
        if rewritten is None:
            refusal = self.refusals[function]
            return HandlerVerdict(function.qualname, line, method, Level.MANUAL, refusal.rule, refusal.reason)
        level = Level.SAFE if rewritten.safe else Level.REVIEW
        return HandlerVerdict(function.qualname, line, method, level)

    def _support_names(self, framework: Framework, asking: list[Function]) -> dict[str, str]:
        """What the support module's names are called here: as there, unless the module or a handler uses the name."""
        facts = self.view.facts
        taken = {*facts.values, *facts.annotations, *facts.classes, *facts.functions}
        for function in asking:
            taken |= names_below(function.node)
        return support_names(framework, facts, taken)

    def _framework_of(self, functions: list[Function]) -> Framework:
        kinds = {f.channel.framework for f in functions if f.channel is not None}
        return Framework.FASTMCP if Framework.FASTMCP in kinds else Framework.MCP


def _is_nested(function: Function, view: ModuleView) -> bool:
    return function.outer is not None and function.channel is None


def _callees_first(
    functions: list[Function], callees: Callable[[Function], list[Function]]
) -> list[Function]:
    out: list[Function] = []
    busy: set[Function] = set()

    def visit(function: Function) -> None:
        if function in busy or function in out:
            return
        busy.add(function)
        for callee in callees(function):
            if callee in functions:
                visit(callee)
        out.append(function)

    for function in functions:
        visit(function)
    return out


def _exported(tree: cst.Module) -> set[str]:
    """The names in `__all__`."""
    found: set[str] = set()
    for stmt in tree.body:
        if isinstance(stmt, cst.SimpleStatementLine):
            for small in stmt.body:
                if (
                    isinstance(small, cst.Assign)
                    and cst.Module([]).code_for_node(small.targets[0].target) == "__all__"
                ):
                    for element in getattr(small.value, "elements", ()):
                        if isinstance(element.value, cst.SimpleString):
                            found.add(str(element.value.evaluated_value))
    return found
