"""Rewrite modules: which functions change, what becomes of their helpers, and where everything goes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from mrtr_codemod.analysis.decorating import changes_result, is_known_decorator, uncalled

from .asking import Asking, decorator_function
from .asks import Framework
from .assemble import Assembly, assemble
from .facts import Facts
from .followed import ALONE, Entry, Followed, Link, alone
from .fresh import FreshNames
from .module_view import Function, ModuleView, find_channels
from .refusal import Refusal
from .restarts import restarts_only
from .rewritten import Rewritten, Style, Terms, rewrite_function
from .sampling import is_helper, link_exchanges, refuse_unknown_tools
from .support import SUPPORT, modules, support_names
from .syntax import all_params, as_ast, names_below
from .twins import twins
from .verdicts import GONE_FROM_SDK, FileRewrite, HandlerVerdict, Level, Wanted


@dataclass(eq=False)
class Part:
    """One of the modules that are rewritten together. `package` is the dotted path before the support module's name,
    as in `from .a import b`."""

    view: ModuleView
    path: str = ALONE
    package: str = ""
    width: int = 100
    entries: Sequence[Entry] = ()
    """What the lint's analysis says of the file."""
    links: Sequence[Link] = ()
    used_outside: frozenset[str] = frozenset()
    """Functions that files which are not rewritten along may use, too."""
    lost: str = ""
    """What the new SDKs have no more, and the file can't be served without."""
    both_ways: bool = False
    """Whether it finds the support module also without its package, when it is started by its path."""

    @classmethod
    def alone(cls, view: ModuleView, package: str = "", width: int = 100) -> Part:
        """A module that nothing is known about but what itself says."""
        return cls.told(view, alone(view.tree.code), ALONE, package, width)

    @classmethod
    def told(cls, view: ModuleView, followed: Followed, path: str, package: str, width: int) -> Part:
        """A module with what the analysis of it and others says."""
        followed.files.place(view.facts, path, ast.parse(view.tree.bytes))
        return cls(view, path, package, width, followed.entries(path), followed.links(path))


Done = dict[Function, Rewritten]


@dataclass
class Engine:
    """Rewrites some modules; a handler with all that it reaches in them, or not at all."""

    parts: Sequence[Part]
    style: Style = Style.STEPS
    barred: dict[Function, Refusal] = field(default_factory=dict)
    refusals: dict[Function, Refusal] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.views = [part.view for part in self.parts]
        _link(self.parts)
        self.graph = Asking(self.views)
        self.asking = self.graph.found()
        for part in self.parts:
            self._take_in(part)

    def run(self, wanted: Wanted, marked: Wanted = lambda verdict: True) -> list[FileRewrite]:
        """The modules with the handlers that `wanted` chooses rewritten; of those that can't be, the ones that `marked`
        chooses get their marker."""
        while True:
            results = self._once(wanted, marked)
            failed = self._still_asking(results)
            if not failed:
                return results
            for function in failed:
                self.barred[function] = Refusal("ask-left", "an ask is left in it that can't be followed")

    def _once(self, wanted: Wanted, marked: Wanted) -> list[FileRewrite]:
        trial = self._attempt({})
        verdicts = {f: self._verdict(f, trial) for f in self.asking if f.method is not None}
        chosen = {f for f, v in verdicts.items() if v.level is not Level.MANUAL and wanted(v)}
        done = {f: r for f, r in trial.items() if f in _reached(chosen, trial)}
        outside = frozenset(f for p in self.parts for n in p.used_outside if (f := p.view.functions.get(n)))
        renamed = twins(done, self.views, outside)
        if renamed:
            final = self._attempt(renamed)
            done = {f: final[f] for f in done}
        stays = {f: self.refusals[f] for f, v in verdicts.items() if v.level is Level.MANUAL and marked(v)}
        shown = {f: replace(v, changed=f in chosen) for f, v in verdicts.items()}
        framework = _framework_of(list(done) or self.asking)
        return [self._assembled(part, done, renamed, stays, shown, framework) for part in self.parts]

    def _assembled(
        self,
        part: Part,
        done: Done,
        renamed: dict[Function, str],
        stays: dict[Function, Refusal],
        shown: dict[Function, HandlerVerdict],
        framework: Framework,
    ) -> FileRewrite:
        own = {f: r for f, r in done.items() if f.view is part.view}
        markers = {f: r for f, r in stays.items() if f.view is part.view}
        after = assemble(
            Assembly(
                part.view,
                own,
                renamed,
                markers,
                part.package + SUPPORT[framework],
                part.both_ways,
                self._names(part, framework),
            )
        )
        handlers = tuple(v for f, v in shown.items() if f.view is part.view)
        used = frozenset().union(*(r.support for r in own.values()))
        return FileRewrite(after, handlers, modules(framework, used), bool(own))

    def _take_in(self, part: Part) -> None:
        """Add what the lint's analysis knows: handlers registered in other ways, asks beyond these files."""
        known = part.view.functions
        by_line = {f.line: f for f in known.values()}
        for entry in part.entries:
            # Lines may have moved since; names tell apart all but functions that are defined twice.
            again = f"{entry.name}#2" in known
            function = by_line.get(entry.line) if again else known.get(entry.name)
            if function is None:
                continue
            if function.method is None or not entry.may_ask:
                function.method = entry.method
            if function not in self.asking:
                self.asking.append(function)
                self.barred[function] = Refusal("unfollowed-ask", "how it asks can't be followed for certain")
            if not entry.may_ask:
                self.barred[function] = Refusal(
                    "no-round", f"this `{entry.method}` can't end with a question"
                )
        if part.lost:
            own = [function for function in self.asking if function.view is part.view]
            self.barred |= dict.fromkeys(own, Refusal(GONE_FROM_SDK, part.lost))
        if any(entry.method == "middleware" for entry in part.entries):
            for function in self.asking:
                if function.view is part.view:
                    self.barred.setdefault(
                        function, Refusal("ask-in-middleware", "a middleware asks around it")
                    )

    def _still_asking(self, results: list[FileRewrite]) -> list[Function]:
        """Handlers that were rewritten and in which the analysis still finds an ask."""
        changed = [
            (p, {v.name for v in r.handlers if v.changed}) for p, r in zip(self.parts, results, strict=True)
        ]
        if not any(names for _, names in changed):
            return []
        again = Followed.of({p.path: r.after for p, r in zip(self.parts, results, strict=True)})
        left = {(part.path, entry.name) for part, _ in changed for entry in again.entries(part.path)}
        return [
            part.view.functions[name]
            for part, names in changed
            for name in names
            if (part.path, name.partition("#")[0]) in left
        ]

    # ── what can be rewritten ─────────────────────────────────────────────────────────────────

    def _attempt(self, renamed: dict[Function, str]) -> Done:
        done: Done = {}
        self.refusals = {}
        known = {*self.asking, *(f for f in self.graph.linked if is_helper(f))}
        restarting = {f for f in self.asking if restarts_only(self.graph.reached(f))}
        framework = _framework_of(self.asking)
        terms = {
            part.view: Terms(
                part.view,
                known.__contains__,
                restarting.__contains__,
                FreshNames(part.view.facts.names),
                self._names(part, framework),
                renamed,
                part.width,
                self.style,
            )
            for part in self.parts
        }
        for function in self.asking:
            outcome = self._one(function, known, terms[function.view])
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
        _refuse_nested(function, asking)
        refuse_unknown_tools(function, asking)
        for param in all_params(function.node):
            if param.default is not None and any(f.name in names_below(param.default) for f in asking):
                raise Refusal("ask-in-dependency", f"a function that asks fills `{param.name.value}`")
        for callee in self.graph.callees(function):
            if callee not in asking:
                continue
            if callee.method is not None:
                raise Refusal(
                    "calls-a-handler", f"it calls `{callee.name}`, which is a handler of its own and asks"
                )
            if function in self.graph.reached(callee):
                raise Refusal("recursion", f"`{callee.name}` and this function call each other")
            if (other := _overriding(callee, self.views)) is not None:
                raise Refusal(
                    "overridden-helper",
                    f"`{callee.name}` asks, and `{other}` has its own: which of them is called shows only at run time",
                )
        for decorator in function.node.decorators:
            inner = decorator_function(function, decorator)
            if inner is not None and any(
                f.view is inner.view and f.qualname.startswith(f"{inner.qualname}.") for f in asking
            ):
                raise Refusal("ask-in-decorator", f"the decorator `{inner.name}` asks")
            if (name := _converting(function.view.facts, as_ast(decorator.decorator))) is not None:
                raise Refusal(
                    "decorator-changes-result",
                    f"the decorator `{name}` does not hand on what it gets as it is, and so would lose the question",
                )

    def _verdict(self, function: Function, done: Done) -> HandlerVerdict:
        line = function.line
        method = function.method or ""
        rewritten = done.get(function)
        if rewritten is None:
            refusal = self.refusals[function]
            return HandlerVerdict(function.qualname, line, method, Level.MANUAL, refusal.rule, refusal.reason)
        decorators = [as_ast(decorator.decorator) for decorator in function.node.decorators]
        seen = not any(_is_foreign(function.view.facts, decorator) for decorator in decorators)
        level = Level.SAFE if rewritten.safe and seen else Level.REVIEW
        return HandlerVerdict(function.qualname, line, method, level)

    def _names(self, part: Part, framework: Framework) -> dict[str, str]:
        """What the support module's names are called in a file: as there, unless it or a handler uses the name."""
        facts = part.view.facts
        taken = {*facts.values, *facts.annotations, *facts.classes, *facts.functions}
        for function in self.asking:
            if function.view is part.view:
                taken |= names_below(function.node)
        return support_names(framework, facts, taken)


def _converting(facts: Facts, decorator: ast.expr) -> str | None:
    """The name of a decorator of the project that makes something else of a result."""
    called = uncalled(decorator)
    name = called.id if isinstance(called, ast.Name) else ""
    origin = facts.origin(called)
    home, own = (facts.find(origin) if origin is not None else None) or (facts, name)
    function = home.functions.get(own)
    return ast.unparse(called) if function is not None and changes_result(function) else None


def _is_foreign(facts: Facts, decorator: ast.expr) -> bool:
    """Whether it is a library's, which nobody here can look into: a cache would keep the question."""
    origin = facts.origin(uncalled(decorator))
    if origin is None or is_known_decorator(origin):
        return False
    parts = origin.split(".")
    return not any(facts.find(".".join(parts[:count])) for count in range(2, len(parts) + 1))


def rewrite_module(
    view: ModuleView,
    wanted: Wanted,
    marked: Wanted = lambda verdict: True,
    *,
    package: str = "",
    style: Style = Style.STEPS,
) -> FileRewrite:
    """Rewrite a module that stands alone."""
    (result,) = Engine([Part.alone(view, package)], style).run(wanted, marked)
    return result


def _link(parts: Sequence[Part]) -> None:
    """Tell each module which functions its calls lead to, and find the contexts that these are handed."""
    by_path = {part.path: part.view for part in parts}
    for part in parts:
        for link in part.links:
            home = by_path.get(link.path)
            callee = home.functions.get(link.callee) if home is not None else None
            if callee is not None and f"{link.callee}#2" not in callee.view.functions:
                part.view.links[link.caller, link.spelled] = callee
    if any(part.view.links for part in parts):
        find_channels([part.view for part in parts])
    for part in parts:
        link_exchanges(part.view)


def _reached(handlers: Iterable[Function], trial: Done) -> set[Function]:
    found: set[Function] = set()
    stack = list(handlers)
    while stack:
        function = stack.pop()
        if function not in found:
            found.add(function)
            stack += [callee for callee in trial[function].callees if callee in trial]
    return found


def _framework_of(functions: Iterable[Function]) -> Framework:
    kinds = {f.channel.framework for f in functions if f.channel is not None}
    return Framework.FASTMCP if Framework.FASTMCP in kinds else Framework.MCP


def _refuse_nested(function: Function, asking: set[Function]) -> None:
    """Refuse a nested function that asks, unless it is a handler, or stands in a function that only makes handlers."""
    if function.method is not None or function.outer is None:
        return
    around = function.view.functions[function.outer]
    if around in asking or (function.node.asynchronous is None and function.channel is None):
        raise Refusal("nested-ask", f"the nested `{function.name}` asks; it may be called from anywhere")


def _overriding(method: Function, views: Iterable[ModuleView]) -> str | None:
    """A class that derives from the method's own and has another method of that name."""
    heirs = {method.owner.rpartition(".")[2]} if method.owner else set()
    grown = bool(heirs)
    while grown:
        grown = False
        for view in views:
            for name, declared in view.facts.classes.items():
                if name not in heirs and heirs & {ast.unparse(b).rpartition(".")[2] for b in declared.bases}:
                    if f"{name}.{method.name}" in view.facts.functions:
                        return name
                    heirs.add(name)
                    grown = True
    return None
