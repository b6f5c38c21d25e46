"""The handlers of one file, whether they ask or not."""

from __future__ import annotations

from collections import defaultdict

from mrtr_codemod.analysis.calls import RawCall, raw_calls
from mrtr_codemod.analysis.entries import EntryFact, by_class, by_decorators, by_registration
from mrtr_codemod.analysis.own_decorators import by_own_decorators
from mrtr_codemod.analysis.sdk import sdk_names
from mrtr_codemod.analysis.view import FileView
from mrtr_codemod.names.module import FunctionInfo, ScopeId
from mrtr_codemod.names.values import External

_CALL_PARAMS = {
    "CallToolRequestParams": "tools/call",
    "GetPromptRequestParams": "prompts/get",
    "ReadResourceRequestParams": "resources/read",
}


def handlers_in(view: FileView) -> dict[ScopeId, dict[EntryFact, None]]:
    """The functions of a file that a framework calls: by decorator, by class, by a registration in the file, or
    because they take what only a low-level server passes."""
    evaluator = view.analysis.evaluator

    def calls(scope: ScopeId) -> list[RawCall]:
        node = view.analysis.project.node(scope)
        return raw_calls(node) if node is not None else []

    found: dict[ScopeId, dict[EntryFact, None]] = defaultdict(dict)
    for info in view.module.functions.values():
        for fact in (
            *by_decorators(info, evaluator),
            *by_class(info, evaluator),
            *by_own_decorators(info, evaluator, calls),
        ):
            found[info.id][fact] = None
        method = _low_level(view, info)
        if method is not None:
            found[info.id][EntryFact("mcp-lowlevel", method)] = None
    for scope in (view.module.scope, *view.module.functions):
        for call in calls(scope):
            values = evaluator.values(call.function, scope)
            externals = tuple(value.name for value in values if isinstance(value, External))
            for fact, function in by_registration(call, scope, externals, evaluator):
                found[function][fact] = None
    return found


def _low_level(view: FileView, info: FunctionInfo) -> str | None:
    """The method of a handler `(ctx: ServerRequestContext, params: CallToolRequestParams)`."""
    function = view.function(info.id)
    if function is None:
        return None
    named: set[str] = set()
    for argument in function.node.args.args:
        if argument.annotation is not None:
            named |= sdk_names(view, argument.annotation, info.parent)
    if not named & {"ServerRequestContext", "RequestContext"}:
        return None
    return next((method for name, method in _CALL_PARAMS.items() if name in named), None)
