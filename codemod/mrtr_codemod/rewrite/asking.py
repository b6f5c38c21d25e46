"""Who asks, itself or through others, among the functions of the modules that are rewritten together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import libcst as cst

from .module_view import Function, ModuleView
from .syntax import calls_in


class Asking:
    """Answers for some modules; what calls what is worked out once."""

    def __init__(self, views: Iterable[ModuleView]) -> None:
        self.views = list(views)
        self.functions = [f for view in self.views for f in view.functions.values()]
        self._called: dict[Function, list[Function]] = {}

    def found(self) -> list[Function]:
        """Functions that ask, themselves or through another, callees before their callers."""
        found = [f for f in self.functions if _asks_itself(f)]
        changed = True
        while changed:
            changed = False
            for function in self.functions:
                reached = [*self.callees(function), *_wrapped_by(function)]
                if function not in found and any(c in found for c in reached):
                    found.append(function)
                    changed = True
        return _callees_first(found, self.callees)

    @property
    def linked(self) -> set[Function]:
        """The functions that calls were led to beyond what names tell."""
        return {f for view in self.views for f in view.links.values()}

    def callees(self, function: Function) -> list[Function]:
        """The functions of the modules that a function calls, each once."""
        if function not in self._called:
            called = (function.view.callee(call, function) for call in calls_in(function.node.body))
            self._called[function] = [f for f in dict.fromkeys(called) if f is not None]
        return self._called[function]

    def reached(self, start: Function) -> set[Function]:
        """A function, and all that it calls, maybe through others."""
        seen: set[Function] = set()
        stack = [start]
        while stack:
            function = stack.pop()
            if function not in seen:
                seen.add(function)
                stack += self.callees(function)
        return seen


def decorator_function(function: Function, decorator: cst.Decorator) -> Function | None:
    """The function of the same module that decorates another."""
    expr = decorator.decorator
    called = expr.func if isinstance(expr, cst.Call) else expr
    return function.view.functions.get(called.value) if isinstance(called, cst.Name) else None


def _asks_itself(function: Function) -> bool:
    view = function.view
    if view.raises_url_required(function):
        return True
    own = view.mentions(function.node.body, function)
    inner = [
        m
        for other in view.functions.values()
        if other.outer == function.qualname and other is not function
        for m in view.mentions(other.node.body, function)
    ]
    return len(own) > len(inner) or bool(inner)


def _wrapped_by(function: Function) -> list[Function]:
    """The functions inside the decorators of a function."""
    outer = [d for decorator in function.node.decorators if (d := decorator_function(function, decorator))]
    known = function.view.functions.values()
    return [f for f in known for d in outer if f.qualname.startswith(f"{d.qualname}.")]


def _callees_first(
    functions: list[Function], callees: Callable[[Function], list[Function]]
) -> list[Function]:
    out: dict[Function, None] = {}
    busy: set[Function] = set()

    def visit(function: Function) -> None:
        if function in busy:
            return
        busy.add(function)
        for callee in callees(function):
            if callee in functions:
                visit(callee)
        out[function] = None

    for function in functions:
        visit(function)
    return list(out)
