"""Which effects may have happened before each ask of a function, on some path that reaches it."""

from __future__ import annotations

import ast
from typing import TypeAlias

from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.effects import Effect
from mrtr_codemod.analysis.paths import Paths, State
from mrtr_codemod.analysis.view import ScopeView

Happened: TypeAlias = tuple[Key, Effect]


def effects_above(view: ScopeView) -> dict[Key, State[Happened]]:
    """For each call that asks, or leads to an ask, the effects that may have happened when control comes to it."""
    return _Effects(view).above


class _Effects(Paths[Happened]):
    def after(self, node: ast.AST, state: State[Happened]) -> State[Happened]:
        effect = self.view.file.analysis.effects.of(node, self.view.scope)
        return state if effect is None else state | {(key_of(node), effect)}
