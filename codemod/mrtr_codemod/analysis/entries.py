"""Which functions a framework calls: by decorator, by registration, by deriving from a class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mrtr_codemod.analysis.calls import RawCall
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import FunctionInfo, ScopeId
from mrtr_codemod.names.reference import CALL, Ref
from mrtr_codemod.names.values import External, FunctionValue

ROUND_METHODS = frozenset({"tools/call", "prompts/get", "resources/read"})
"""The methods whose calls may end with an InputRequiredResult."""

_HIGH = {
    "tool": "tools/call",
    "prompt": "prompts/get",
    "resource": "resources/read",
    "completion": "completion/complete",
    "custom_route": "http route",
}
_LOW = {
    "call_tool": "tools/call",
    "get_prompt": "prompts/get",
    "read_resource": "resources/read",
    "list_tools": "tools/list",
    "list_prompts": "prompts/list",
    "list_resources": "resources/list",
    "list_resource_templates": "resources/templates/list",
    "completion": "completion/complete",
    "set_logging_level": "logging/setLevel",
    "subscribe_resource": "resources/subscribe",
    "unsubscribe_resource": "resources/unsubscribe",
    "progress_notification": "notifications/progress",
}
_KEYWORDS = {
    **{f"on_{name}": method for name, method in _LOW.items()},
    "on_progress": "notifications/progress",
    "on_roots_list_changed": "notifications/roots/list_changed",
    "on_ping": "ping",
    "on_subscriptions_listen": "subscriptions/listen",
    "lifespan": "lifespan",
    "middleware": "middleware",
    "tools": "tools/call",
}
_ADDERS = {
    "add_tool": "tools/call",
    "add_prompt": "prompts/get",
    "add_resource": "resources/read",
    "add_resource_fn": "resources/read",
    "add_template": "resources/read",
    "add_middleware": "middleware",
}
_REQUEST_CLASSES = {
    "CallToolRequest": "tools/call",
    "GetPromptRequest": "prompts/get",
    "ReadResourceRequest": "resources/read",
    "ListToolsRequest": "tools/list",
    "ListPromptsRequest": "prompts/list",
    "ListResourcesRequest": "resources/list",
    "CompleteRequest": "completion/complete",
}
_WRAPPERS = {
    "Tool": "tools/call",
    "FunctionTool": "tools/call",
    "Prompt": "prompts/get",
    "FunctionPrompt": "prompts/get",
    "Resource": "resources/read",
    "FunctionResource": "resources/read",
    "ResourceTemplate": "resources/read",
    "FunctionResourceTemplate": "resources/read",
}
_SERVER_CONTEXT = "mcp:ServerRequestContext()"


@dataclass(frozen=True)
class EntryFact:
    """How a client, or the server itself, reaches a function.

    `method` is the protocol method that it serves, or `lifespan`, `middleware`, `http route`. `static` marks
    a resource without parameters in its URI. `context` is the type of what the framework passes first, where
    no annotation is needed for it. `decorator` is the one of the repo that registers it.
    """

    framework: str
    method: str
    static: bool = False
    context: str = ""
    decorator: str = ""

    @property
    def can_ask(self) -> bool:
        """Whether a round of it can end with questions."""
        return self.method in ROUND_METHODS and not (self.static and self.framework == "mcp")


def framework_of(external: str) -> str | None:
    """The framework of a server object: `mcp`, `mcp-lowlevel`, `fastmcp`."""
    family, _, local = external.partition(":")
    if local == "Server()":
        return "mcp-lowlevel"
    return family if local in ("FastMCP()", "MCPServer()") else None


def by_decorators(info: FunctionInfo, evaluator: Evaluator) -> Iterator[EntryFact]:
    """What the decorators of a function make of it."""
    for ref in info.decorators:
        bare = tuple(step for step in ref if step != CALL) if ref[-1] == CALL else ref
        entry = _decorator(bare, info, evaluator)
        if entry is not None:
            yield entry


def _decorator(ref: Ref, info: FunctionInfo, evaluator: Evaluator) -> EntryFact | None:
    name = ref[-1].lstrip(".")
    if len(ref) == 1 or not evaluator.values(ref[:-1], info.parent):
        for value in evaluator.values(ref, info.parent):
            entry = _free_decorator(value.name) if isinstance(value, External) else None
            if entry:
                return entry
        return _unknown_server(ref, name, info, evaluator)
    for value in evaluator.values(ref[:-1], info.parent):
        framework = framework_of(value.name) if isinstance(value, External) else None
        if framework is None and not isinstance(value, External):
            framework = _derived(value, evaluator)
        method = _method(framework, name)
        if framework and method:
            return EntryFact(framework, method, static=_static(info, ref))
        if isinstance(value, External):
            entry = _free_decorator(f"{value.name}.{name}")
            if entry:
                return entry
    return None


def _derived(value: object, evaluator: Evaluator) -> str | None:
    scope = getattr(value, "scope", None)
    if scope is None or isinstance(value, FunctionValue):
        return None
    for base in evaluator.external_bases(scope):
        framework = framework_of(base + CALL)
        if framework:
            return framework
    return None


def _method(framework: str | None, name: str) -> str | None:
    if framework is None:
        return None
    return _LOW.get(name) if framework == "mcp-lowlevel" else _HIGH.get(name)


def _free_decorator(external: str) -> EntryFact | None:
    """FastMCP's decorators that belong to no server object: `from fastmcp.tools import tool`,
    `@mcp_tool()`."""
    family, _, local = external.partition(":")
    name = local.removeprefix("mcp_")
    if family == "fastmcp" and name in ("tool", "prompt", "resource"):
        return EntryFact("fastmcp", _HIGH[name])
    return None


def _unknown_server(ref: Ref, name: str, info: FunctionInfo, evaluator: Evaluator) -> EntryFact | None:
    """`@server.tool()` on a server that cannot be followed, above a function that takes an SDK's Context."""
    if len(ref) < 2 or name not in ("tool", "prompt", "resource"):
        return None
    for parameter in info.parameters:
        for class_ref in parameter.classes:
            for value in evaluator.values(class_ref, info.parent):
                family, _, local = value.name.partition(":") if isinstance(value, External) else ("", "", "")
                if local == "Context":
                    return EntryFact(family, _HIGH[name], static=_static(info, ref))
    return None


def _static(info: FunctionInfo, ref: Ref) -> bool:
    """A resource whose function takes nothing from the URI."""
    if ref[-1] != ".resource":
        return False
    names = [p.name for p in info.parameters if p.name != info.bound_first]
    contexts = [p.name for p in info.parameters if any(c[-1].lstrip(".") == "Context" for c in p.classes)]
    return len(names) == len(contexts)


def by_class(info: FunctionInfo, evaluator: Evaluator) -> Iterator[EntryFact]:
    """A method that a framework calls because of the class it is in."""
    if info.owner is None:
        return
    for base in evaluator.external_bases(info.owner):
        family, _, local = base.partition(":")
        if local in ("Middleware", "ServerMiddleware") and (
            info.name.startswith("on_") or info.name == "__call__"
        ):
            yield EntryFact(family, "middleware")


def by_registration(
    call: RawCall, scope: ScopeId, targets: tuple[str, ...], evaluator: Evaluator
) -> Iterator[tuple[EntryFact, ScopeId]]:
    """The functions that a call registers with a server, each with what it becomes."""
    for external in targets:
        yield from _by_keyword(call, scope, external, evaluator)
        entry = _added(call, external)
        if entry is not None:
            for ref in (*call.arguments, *(ref for _, ref in call.keywords)):
                for function in _functions(ref, scope, evaluator):
                    yield entry, function
    if call.function and len(call.function) > 2 and call.function[-1] == CALL:
        yield from _by_decorator_call(call, scope, evaluator)


def _added(call: RawCall, external: str) -> EntryFact | None:
    """What the functions among the arguments of `server.add_tool(…)` and its like become."""
    owner, _, name = external.rpartition(".")
    if name in ("append", "insert") and owner.endswith(".middleware"):
        framework = framework_of(owner.removesuffix(".middleware"))
        return EntryFact(framework, "middleware", context=_passed_to(framework)) if framework else None
    if name == "from_function":
        family, _, wrapper = owner.partition(":")
        return EntryFact(family, _WRAPPERS[wrapper]) if wrapper in _WRAPPERS else None
    framework = framework_of(owner.removesuffix(".request_handlers").removesuffix(".notification_handlers"))
    if framework is None:
        return None
    if name in ("add_request_handler", "add_notification_handler"):
        return EntryFact(framework, _wire_method(call, name), context=_passed_to(framework))
    if name == "__setitem__":
        return EntryFact(framework, _wire_method(call, name))
    method = _ADDERS.get(name) or (_HIGH.get(name) if framework != "mcp-lowlevel" else None)
    return EntryFact(framework, method) if method else None


def registering(call: RawCall, scope: ScopeId, evaluator: Evaluator) -> Iterator[EntryFact]:
    """What a call that registers with a server makes of the function that it, or what it returns, is called with."""
    for value in evaluator.values(call.function, scope):
        if isinstance(value, External):
            owner, _, name = value.name.rpartition(".")
            framework = framework_of(owner)
            method = _method(framework, name)
            entry = EntryFact(framework, method) if framework and method else _added(call, value.name)
            if entry is not None:
                yield entry


def _passed_to(framework: str) -> str:
    """What handlers and middleware of the `mcp` package get first, also without an annotation."""
    return "" if framework == "fastmcp" else _SERVER_CONTEXT


def _by_keyword(
    call: RawCall, scope: ScopeId, external: str, evaluator: Evaluator
) -> Iterator[tuple[EntryFact, ScopeId]]:
    framework = framework_of(external + CALL)
    if framework is None:
        return
    for keyword, ref in call.keywords:
        method = _KEYWORDS.get(keyword or "")
        if method:
            handed = (framework == "mcp-lowlevel" and keyword != "lifespan") or method == "middleware"
            context = _passed_to(framework) if handed else ""
            for function in _functions(ref, scope, evaluator):
                yield EntryFact(framework, method, context=context), function


def _by_decorator_call(
    call: RawCall, scope: ScopeId, evaluator: Evaluator
) -> Iterator[tuple[EntryFact, ScopeId]]:
    """`server.tool(name="x")(function)`."""
    function = call.function or ()
    name = function[-2].lstrip(".")
    for value in evaluator.values(function[:-2], scope):
        framework = framework_of(value.name) if isinstance(value, External) else None
        method = _method(framework, name)
        if framework and method:
            for ref in call.arguments[:1]:
                for registered in _functions(ref, scope, evaluator):
                    yield EntryFact(framework, method), registered


def _wire_method(call: RawCall, name: str) -> str:
    if name == "__setitem__":
        key = (call.arguments[0] or ("",))[-1].lstrip(".")
        return _REQUEST_CLASSES.get(key) or ("notification" if key.endswith("Notification") else "request")
    return call.text or ("notification" if name == "add_notification_handler" else "request")


def _functions(ref: Ref | None, scope: ScopeId, evaluator: Evaluator) -> Iterator[ScopeId]:
    for value in evaluator.values(ref, scope):
        if isinstance(value, FunctionValue):
            yield value.scope
