"""The decorators of the low-level server, which `mcp` 2 has no more, as handlers `on_…` that are added to it.

The decorated function stays; the handler in the new form calls it and wraps what it gives, as the decorator did.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..facts import FunctionNode, identifiers
from .file import File
from .results import LISTS, Handler, handler_for
from .wrapping import fitted

METHODS = {
    "call_tool": ("tools/call", "CallToolRequestParams", "CallToolResult"),
    "get_prompt": ("prompts/get", "GetPromptRequestParams", "GetPromptResult"),
    "read_resource": ("resources/read", "ReadResourceRequestParams", "ReadResourceResult"),
    "subscribe_resource": ("resources/subscribe", "SubscribeRequestParams", "EmptyResult"),
    "unsubscribe_resource": ("resources/unsubscribe", "UnsubscribeRequestParams", "EmptyResult"),
    "set_logging_level": ("logging/setLevel", "SetLevelRequestParams", "EmptyResult"),
    "completion": ("completion/complete", "CompleteRequestParams", "CompleteResult"),
    "progress_notification": ("notifications/progress", "ProgressNotificationParams", ""),
    **{name: (method, "PaginatedRequestParams", result) for name, (method, result, _) in LISTS.items()},
}
"""For each decorator: the method it served, and the types of its parameters and its result, if it has one."""


@dataclass
class _Decorated:
    function: FunctionNode
    decorator: ast.expr
    server: ast.expr
    name: str


def fix_low_level(file: File) -> None:
    """Turn the decorators into handlers, and `server.request_context` into the handler's context."""
    for decorated in _decorated(file):
        _move(file, decorated)
    for node in file.nodes:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Call(func=ast.Attribute(value=owner, attr=name)))) if (
                name in METHODS and _is_server(file, owner)
            ):
                _direct(file, node, owner, name)
            case ast.Attribute(value=owner, attr="request_handlers" | "notification_handlers") if _is_server(
                file, owner
            ):
                told = (
                    "use `add_request_handler(method, params_type, handler)` or `get_request_handler(method)`"
                )
                file.notes.add(node, f"`{ast.unparse(node)}` is gone: {told}")
    _tell_of_contexts(file)


def _is_server(file: File, expr: ast.expr) -> bool:
    return "LowLevelServer" in file.kind(expr)


def _decorated(file: File) -> list[_Decorated]:
    found = []
    for function in file.functions():
        for decorator in function.decorator_list:
            match decorator:
                case ast.Call(func=ast.Attribute(value=server, attr=name)) if name in METHODS and _is_server(
                    file, server
                ):
                    found.append(_Decorated(function, decorator, server, name))
    return found


def _move(file: File, found: _Decorated) -> None:
    edits, function = file.edits, found.function
    handler = handler_for(file, found.name, function, context=_context(file, found))
    if handler is None:
        told = "pass a function (ctx, params) that returns a result model to `add_request_handler`"
        file.notes.add(function, f"`@{ast.unparse(found.decorator)}` on `{function.name}` is gone: {told}")
        return
    _drop_decorator(file, found)
    blank = edits.newline * (2 if function.col_offset else 3)
    text = _handler_text(file, found.server, found.name, handler, function.col_offset, function.name)
    edits.insert(edits.below(function), blank + text)


def _direct(file: File, stmt: ast.Expr, server: ast.expr, name: str) -> None:
    """`server.subscribe_resource()(function)`, as a statement."""
    match stmt.value:
        case ast.Call(args=[ast.Name(id=called)], keywords=[]) if called in file.facts.functions:
            old, handler = called, handler_for(file, name, file.facts.functions[called], context=False)
        case _:
            old, handler = "", None
    if handler is None:
        told = f"register an `on_{name}(ctx, params)` by `add_request_handler` instead"
        file.notes.add(stmt, f"`{ast.unparse(stmt)}` is gone: {told}")
        return
    start, end = file.edits.lines(stmt)
    text = _handler_text(file, server, name, handler, stmt.col_offset, old)
    file.edits.replace(start, end, text + file.edits.newline)


def _handler_text(file: File, server: ast.expr, name: str, handler: Handler, column: int, old: str) -> str:
    """The handler in the new form, for the function `old` that was registered itself."""
    method, params, result = METHODS[name]
    new, taken = file.fresh(f"on_{name}"), file.type_named(params)
    file.registers[new] = old
    gives = file.type_named(result) if result else "None"
    add = "add_request_handler" if result else "add_notification_handler"
    optional = " | None" if name in LISTS else ""
    context = file.named("mcp.server.ServerRequestContext")
    lines = [
        f"async def {new}(ctx: {context}, params: {taken}{optional}) -> {gives}:",
        *(f"    {line}" for line in handler.body),
        *([""] if column else ["", ""]),
        f'{file.edits.written(server)}.{add}("{method}", {taken}, {new})',
    ]
    indent = " " * column
    fitting = [part for line in lines for part in fitted(f"{indent}{line}" if line else "")]
    return file.edits.newline.join(fitting)


def _drop_decorator(file: File, found: _Decorated) -> None:
    """Take out the line of the decorator."""
    edits = file.edits
    start = edits.at(found.decorator.lineno, 0)
    following = [d for d in found.function.decorator_list if d.lineno > found.decorator.lineno]
    below = following[0] if following else found.function
    edits.replace(start, edits.at(below.lineno, 0), "")


# ── the context ───────────────────────────────────────────────────────────────────────────────


def _context(file: File, found: _Decorated) -> bool:
    """Whether the function reads the request's context from the server; if so, it gets it as its last parameter."""
    function = found.function
    inside = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and _is_context(file, n)]
    if not inside:
        return False
    alias = _alias(file, function)
    if alias is not None:
        name = alias.targets[0].id  # type: ignore[attr-defined]
        file.edits.replace(*file.edits.lines(alias), "")
    else:
        name = "ctx" if "ctx" not in identifiers(function) else file.fresh("request_context")
    for node in inside:
        file.edits.rewrite(node, name)
    written = f"{name}: {file.named('mcp.server.ServerRequestContext')}"
    args = function.args
    if args.args:
        last = args.defaults[-1] if args.defaults else args.args[-1]
        file.edits.insert(file.edits.end(last), f", {written}")
    else:
        opened = file.edits.text.index("(", file.edits.start(function))
        file.edits.insert(opened + 1, written)
    return True


def _alias(file: File, function: FunctionNode) -> ast.Assign | None:
    """The line `ctx = server.request_context`, if the parameter can take its place."""
    for stmt in function.body:
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value) if (
                _is_context(file, value) and stmt.lineno == stmt.end_lineno
            ):
                stores = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
                if sum(isinstance(n.ctx, ast.Store) for n in stores) == 1:
                    return stmt
    return None


def _is_context(file: File, node: ast.Attribute) -> bool:
    return node.attr == "request_context" and _is_server(file, node.value)


def _tell_of_contexts(file: File) -> None:
    handlers = {d.function for d in _decorated(file)}
    for node in file.nodes:
        if not isinstance(node, ast.Attribute) or not _is_context(file, node):
            continue
        if not handlers.intersection(_functions_around(file, node)):
            told = "handlers take the context as their first parameter: hand it on to where it is used"
            file.notes.add(node, f"`{ast.unparse(node)}` is gone: {told}")


def _functions_around(file: File, node: ast.AST) -> list[FunctionNode]:
    found = []
    around = file.function_around(node)
    while around is not None:
        found.append(around)
        around = file.function_around(around)
    return found
