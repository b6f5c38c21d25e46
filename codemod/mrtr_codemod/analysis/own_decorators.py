"""Decorators of the repo that register what they decorate: `def tool(fn): return mcp.tool(name=…)(fn)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mrtr_codemod.analysis.calls import RawCall
from mrtr_codemod.analysis.entries import EntryFact, by_decorators, registering
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import FunctionInfo, ScopeId
from mrtr_codemod.names.reference import CALL
from mrtr_codemod.names.values import FunctionValue

Calls = Callable[[ScopeId], list[RawCall]]


def by_own_decorators(info: FunctionInfo, evaluator: Evaluator, calls: Calls) -> Iterator[EntryFact]:
    """What the decorators that the repo defines itself make of a function, each with its name."""
    for ref in info.decorators:
        bare = tuple(step for step in ref if step != CALL)
        for value in evaluator.values(bare, info.parent):
            if isinstance(value, FunctionValue):
                for fact in _registered(value.scope, evaluator, calls):
                    yield replace(fact, decorator=value.scope.display)


def _registered(decorator: ScopeId, evaluator: Evaluator, calls: Calls) -> Iterator[EntryFact]:
    module = evaluator.project.module(decorator.path)
    if module is None:
        return
    for scope, info in list(module.functions.items()):
        if scope == decorator or scope.qualname.startswith(f"{decorator.qualname}.<locals>."):
            if scope != decorator:
                yield from by_decorators(info, evaluator)
            for call in calls(scope):
                yield from registering(call, scope, evaluator)
