"""Assignments to what outlives the call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mrtr_codemod.analysis.view import FunctionView
from mrtr_codemod.names.reference import lower


def lasting_targets(view: FunctionView, node: ast.Assign) -> Iterator[ast.expr]:
    """The targets of an assignment that are globals, parts of globals, or attributes of a long-lived `self`."""
    effects = view.file.analysis.effects
    declared = view.file.analysis.project.bindings(view.scope)[1]
    for target in node.targets:
        ref = lower(target)
        if ref is None:
            continue
        if len(ref) == 1:
            if ref[0] in declared:
                yield target
        elif effects.outlives(ref[:-1], view.scope):
            yield target
