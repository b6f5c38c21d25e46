"""Asks that only old connections reach: code that is migrated already, and serves both eras."""

from __future__ import annotations

import ast

from mrtr_codemod.analysis.calls import Key, RawCall, key_of, raw_calls
from mrtr_codemod.analysis.walk import Definition, evaluated, expressions_of
from mrtr_codemod.names.bindings import blocks_of
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.outline import ScopeNode
from mrtr_codemod.names.reference import CALL
from mrtr_codemod.names.values import External, FunctionValue

MADE = "InputRequired"
"""What the names of the results that ask begin with, in `mcp` and in FastMCP."""
_DEEPEST = 3


def migrated_asks(
    node: ScopeNode, scope: ScopeId, calls: list[RawCall], evaluator: Evaluator
) -> frozenset[Key]:
    """The calls of a scope beside a branch that ends the round instead.

    `if modern(ctx): return InputRequiredResult(…)` makes what follows legacy only, and so does an `else`.
    """
    ending = frozenset(
        call.key for call in calls if not call.raised and _ends_round(call, scope, evaluator, 0)
    )
    if not ending:
        return frozenset()
    walk = _Walk(ending)
    walk.block(node.body, legacy=False)
    return frozenset(walk.found)


def _ends_round(call: RawCall, scope: ScopeId, evaluator: Evaluator, depth: int) -> bool:
    """Whether a call makes an `InputRequiredResult`, itself or in a helper of the repo."""
    for value in evaluator.values(call.function, scope):
        if isinstance(value, External):
            name = value.name.removesuffix(CALL).rpartition(":")[2].rpartition(".")[2]
            if ":" in value.name and name.startswith(MADE):
                return True
        elif isinstance(value, FunctionValue) and depth < _DEEPEST:
            if not evaluator.project.mentions(value.scope.path, MADE):
                continue
            node = evaluator.project.node(value.scope)
            inner = raw_calls(node) if node is not None else []
            if any(
                _ends_round(other, value.scope, evaluator, depth + 1) for other in inner if not other.raised
            ):
                return True
    return False


class _Walk:
    def __init__(self, ending: frozenset[Key]) -> None:
        self.ending = ending
        self.found: set[Key] = set()

    def block(self, body: list[ast.stmt], *, legacy: bool) -> None:
        for statement in body:
            if legacy:
                self.found |= {
                    key_of(n)
                    for e in expressions_of(statement)
                    for n in evaluated(e)
                    if isinstance(n, ast.Call)
                }
            if isinstance(statement, ast.If):
                modern, otherwise = self._ends(statement.body), self._ends(statement.orelse)
                self.block(statement.body, legacy=legacy or (otherwise and not modern))
                self.block(statement.orelse, legacy=legacy or (modern and not otherwise))
                legacy = (
                    legacy
                    or (modern and _leaves(statement.body))
                    or (otherwise and _leaves(statement.orelse))
                )
            elif not isinstance(statement, Definition):
                for inner in blocks_of(statement):
                    self.block(inner, legacy=legacy)

    def _ends(self, body: list[ast.stmt]) -> bool:
        return any(
            isinstance(node, ast.Call) and key_of(node) in self.ending
            for statement in body
            for node in ast.walk(statement)
        )


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise))
