"""The forms that a file asks for: their messages and schemas, in the old spellings and the new ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mrtr_codemod.analysis.asks import AskFact, Spelling
from mrtr_codemod.analysis.calls import key_of
from mrtr_codemod.analysis.sdk import argument, is_client_test, items, sdk_names
from mrtr_codemod.analysis.view import FileView
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.model import AskKind
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.roles import SEND_REQUEST
from mrtr_codemod.names.values import External, FunctionValue

FORM_WORDS = ("elicit", "Elicit", "requestedSchema", "mrtr_steps")
_SCHEMA_NAMES = ("schema", "response_type", "requestedSchema", "requested_schema")
_WITH_SESSION = frozenset({"elicit_with_validation"})
_BUILDERS = frozenset({"ElicitRequestFormParams", "ElicitRequestParams", "Elicit"})


@dataclass(frozen=True)
class Form:
    """A question by form: the call that asks it, or the call or dict that builds it, and what it says."""

    node: ast.expr
    scope: ScopeId
    message: ast.expr | None
    schema: ast.expr | None


def forms(view: FileView) -> Iterator[Form]:
    """The forms of a file, in no order."""
    for node in () if is_client_test(view) else view.outside_asserts(ast.Dict):
        entries = items(node)
        if entries.keys() >= {"message", "requestedSchema"}:
            yield Form(node, view.scope_at(node), entries["message"], entries["requestedSchema"])
    asks = {key: fact for found in _asks(view) for key, fact in found.items()}
    for call in view.calls:
        fact = asks.get(key_of(call))
        if fact is not None:
            if fact.kind is AskKind.FORM and fact.name != SEND_REQUEST:  # its params are a form of their own
                yield _asked(call, fact, view.scope_at(call))
        elif _builds(view, call):
            yield Form(
                call, view.scope_at(call), argument(call, 0, "message"), argument(call, 1, *_SCHEMA_NAMES)
            )


def _asks(view: FileView) -> Iterator[dict[tuple[int, int, int, int], AskFact]]:
    graph = view.analysis.graph
    for scope in (view.module.scope, *view.module.functions):
        yield graph.asks.get(scope, {})


def _asked(call: ast.Call, fact: AskFact, scope: ScopeId) -> Form:
    first = 0
    if fact.spelling is Spelling.RUNNER:
        first = 1 + next((i for i, value in enumerate(call.args) if last_name(value).startswith("elicit")), 0)
    elif fact.name in _WITH_SESSION:
        first = 1
    return Form(call, scope, argument(call, first, "message"), argument(call, first + 1, *_SCHEMA_NAMES))


def _builds(view: FileView, call: ast.Call) -> bool:
    name = last_name(call.func)
    if name == "form":
        return any(
            (isinstance(value, External) and value.name.endswith("mrtr_steps.form"))
            or (isinstance(value, FunctionValue) and value.scope.path.endswith("mrtr_steps.py"))
            for value in view.values(call.func, view.scope_at(call))
        )
    if not name.startswith("Elicit"):
        return False
    return not _BUILDERS.isdisjoint(sdk_names(view, call.func, view.scope_at(call)))
