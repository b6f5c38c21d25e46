"""What the two rules on deprecated features have in common."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.calls import Key, key_of
from mrtr_codemod.analysis.sdk import sdk_names
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import AskKind

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

RESULT = "InputRequiredResult"


def uses(view: FileView, kind: AskKind, request: str, marker: str) -> Iterator[Key]:
    """Where a file asks the client for something: in mid-call, by a resolver's `marker`, or by a `request` in a
    function that ends its round with it."""
    for scope in (view.module.scope, *view.module.functions):
        for key, fact in view.analysis.graph.asks.get(scope, {}).items():
            if fact.kind is kind:
                yield key
    ending = {view.scope_at(call) for call in view.calls if _makes(view, call, RESULT)}
    for call in view.calls:
        if _makes(view, call, marker) or (view.scope_at(call) in ending and _makes(view, call, request)):
            yield key_of(call)


def _makes(view: FileView, call: ast.Call, name: str) -> bool:
    return last_name(call) == name and name in sdk_names(view, call.func, view.scope_at(call))
