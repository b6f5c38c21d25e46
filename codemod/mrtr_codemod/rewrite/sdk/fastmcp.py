"""What FastMCP 2 and 3 had and FastMCP 4 has not, apart from what only moved."""

from __future__ import annotations

import ast

from mrtr_codemod.analysis.decorating import uncalled

from .edits import keyword
from .file import File

_DECORATORS = ("tool", "prompt", "resource")
_LISTINGS = {
    "get_tools": ("list_tools", "tool", "tool.name"),
    "get_prompts": ("list_prompts", "prompt", "prompt.name"),
    "get_resources": ("list_resources", "resource", "str(resource.uri)"),
    "get_resource_templates": ("list_resource_templates", "template", "template.uri_template"),
}
"""What lists components now, the name for one of them, and what each was known by in the old dict."""

_METHODS = {
    "import_server": "`mount(server)` takes its place, and is not the same: it is a live link, and runs the lifespan "
    "and the middleware of the mounted server",
    "add_tool_transformation": "use `add_transform(ToolTransform({name: config}))` (fastmcp.server.transforms)",
    "remove_tool_transformation": "it did nothing; hide tools by `disable(keys={...})`",
}
_DECORATOR_OPTIONS = {
    "enabled": "use `disable(names={...})` on the server",
    "exclude_args": "give the parameter a default of `Depends(factory)` (fastmcp.dependencies), which no schema shows",
    "serializer": "return a `ToolResult`",
}
_OPTIONS = {
    "tool_serializer": "return a `ToolResult` from the tools",
    "tool_transformations": "use `add_transform(ToolTransform(...))`",
    "include_tags": "use `enable(tags=..., only=True)` on the server",
    "exclude_tags": "use `disable(tags=...)` on the server",
    "on_duplicate_tools": "the three became `on_duplicate=`",
    "on_duplicate_resources": "the three became `on_duplicate=`",
    "on_duplicate_prompts": "the three became `on_duplicate=`",
    "sampling_handler": "nothing samples on the server's side: where a client can't, call the model yourself",
    "sampling_handler_behavior": "nothing samples on the server's side any more",
}
_ASKS = ("sample", "sample_step", "list_roots", "elicit")


def fix_fastmcp(file: File) -> None:
    """Change what has a form in FastMCP 4 that does the same, and tell of the rest."""
    for call in file.calls():
        if file.origin(call.func) is not None and "FastMCPServer" in file.kind(call):
            _constructor(file, call)
        if isinstance(call.func, ast.Attribute):
            _class_method(file, call, call.func)
            if "FastMCPServer" in file.kind(call.func.value):
                _method(file, call, call.func)
            if "FastMCPContext" in file.kind(call.func.value):
                _state(file, call, call.func)
    _components(file)


def tell_of_asks(file: File) -> None:
    """The asks that a file still has in it: FastMCP 4 has no way to push them."""
    for call in file.calls():
        func = call.func
        if (
            isinstance(func, ast.Attribute)
            and func.attr in _ASKS
            and "FastMCPContext" in file.kind(func.value)
        ):
            told = "not served on 2026-07-28; run `mrtr rewrite` without --sdk-only, or serve the file by `mrtr run`"
            file.notes.add(call, f"`{ast.unparse(func)}` is {told}")


# ── the server ────────────────────────────────────────────────────────────────────────────────


def _constructor(file: File, call: ast.Call) -> None:
    duplicates = [k for k in call.keywords if (k.arg or "").startswith("on_duplicate_")]
    same = {ast.unparse(k.value) for k in duplicates}
    dropped: list[ast.keyword] = [k for k in call.keywords if k.arg == "include_fastmcp_meta"]
    if len(duplicates) == 3 and len(same) == 1:
        first, *others = duplicates
        start = file.edits.start(first)
        file.edits.replace(start, start + len(first.arg or ""), "on_duplicate")
        dropped += others
        duplicates = []
    for option in call.keywords:
        if option.arg in _OPTIONS and (option in duplicates or not option.arg.startswith("on_duplicate_")):
            file.notes.add(option, f"`FastMCP({option.arg}=...)` is gone: {_OPTIONS[option.arg]}")
            dropped.append(option)
    file.edits.drop_arguments(call, list(dropped))


def _class_method(file: File, call: ast.Call, func: ast.Attribute) -> None:
    """`FastMCP.as_proxy(backend)` is `create_proxy(backend)`."""
    on_class = (file.origin(func.value) or "").endswith(".FastMCP")
    if func.attr != "as_proxy" or not (on_class or "FastMCPServer" in file.kind(func.value)):
        return
    file.edits.rewrite(func, file.named("fastmcp.server.create_proxy"))
    backend = keyword(call, "backend")
    if backend is not None:
        file.edits.replace(file.edits.start(backend), file.edits.start(backend.value), "")


def _method(file: File, call: ast.Call, func: ast.Attribute) -> None:
    name, end = func.attr, file.edits.end(func)
    if name == "mount":
        _mount(file, call)
    elif name in _METHODS:
        file.notes.add(call, f"`{ast.unparse(func)}` is gone: {_METHODS[name]}")
    elif name == "remove_tool":
        file.edits.insert(file.edits.end(func.value), ".local_provider")
    elif name in _LISTINGS and isinstance(file.parents.get(call), ast.Await):
        listing, one, key = _LISTINGS[name]
        awaited = file.parents[call]
        assert isinstance(awaited, ast.Await)
        file.edits.insert(file.edits.start(awaited), f"{{{key}: {one} for {one} in ")
        file.edits.replace(end - len(name), end, listing)
        file.edits.insert(file.edits.end(awaited), "}")
    elif name in _DECORATORS:
        _decorator(file, call, name)


def _mount(file: File, call: ast.Call) -> None:
    proxied = keyword(call, "as_proxy")
    if proxied is not None:
        literal = proxied.value.value if isinstance(proxied.value, ast.Constant) else proxied
        if literal is True and call.args:
            file.edits.insert(file.edits.start(call.args[0]), f"{file.named('fastmcp.server.create_proxy')}(")
            file.edits.insert(file.edits.end(call.args[0]), ")")
        elif literal not in (None, False):
            file.notes.add(proxied, "`mount(as_proxy=...)` is gone: mount `create_proxy(server)` instead")
        file.edits.drop_arguments(call, [proxied])
    prefix = keyword(call, "prefix")
    if prefix is not None:
        start = file.edits.start(prefix)
        file.edits.replace(start, start + len("prefix"), "namespace")


def _decorator(file: File, call: ast.Call, name: str) -> None:
    for option in call.keywords:
        if (
            option.arg == "enabled"
            and isinstance(option.value, ast.Constant)
            and option.value.value is not False
        ):
            file.edits.drop_arguments(call, [option])
        elif option.arg in _DECORATOR_OPTIONS:
            file.notes.add(option, f"`{name}({option.arg}=...)` is gone: {_DECORATOR_OPTIONS[option.arg]}")
        elif option.arg == "task" and name != "tool":
            file.notes.add(option, f"`{name}(task=...)` is gone: only tools run as tasks now")
            file.edits.drop_arguments(call, [option])
        elif option.arg == "task":
            told = "tasks are an extension now: install fastmcp-tasks, and call `add_extension(TasksExtension())`"
            file.notes.add(option, told)


# ── contexts and components ───────────────────────────────────────────────────────────────────


def _state(file: File, call: ast.Call, func: ast.Attribute) -> None:
    """`ctx.set_state(k, v)` of FastMCP 2 lasted for the request; now it is awaited, and lasts for the session."""
    if func.attr not in ("set_state", "get_state") or isinstance(file.parents.get(call), ast.Await):
        return
    around = file.function_around(call)
    if not isinstance(around, ast.AsyncFunctionDef) or _in_lambda(file, call):
        file.notes.add(call, f"`{ast.unparse(func)}` is awaited now: make the function around it async")
        return
    plain = isinstance(file.parents.get(call), (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.keyword))
    file.edits.insert(file.edits.start(call), "await " if plain else "(await ")
    if func.attr == "set_state":
        file.edits.add_arguments(call, ["serializable=False"])
    if not plain:
        file.edits.insert(file.edits.end(call), ")")


def _in_lambda(file: File, node: ast.AST) -> bool:
    parent = file.parents.get(node)
    while parent is not None and not isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if isinstance(parent, ast.Lambda):
            return True
        parent = file.parents.get(parent)
    return False


def _components(file: File) -> None:
    """Decorators give back the function, which was `.fn` of the component; prompts give `Message`s."""
    decorated = {f.name: f for f in file.functions() if _registers(file, f)}
    for node in file.nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr) if (
                name in decorated and decorated[name] in file.tree.body and not file.is_local(owner)
            ):
                if attr == "fn":
                    file.edits.replace(file.edits.end(owner), file.edits.end(node), "")
                elif not attr.startswith("__"):
                    told = f"`{name}` is the function itself now: get the component by `await server.get_tool(name)`"
                    file.notes.add(node, told)
    for function in decorated.values():
        if _registers(file, function) == "prompt":
            _messages(file, function)


def _registers(file: File, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """As what a decorator of FastMCP registers the function."""
    for decorator in function.decorator_list:
        called = uncalled(decorator)
        named = isinstance(called, ast.Attribute) and called.attr in _DECORATORS
        if named and isinstance(called, ast.Attribute) and "FastMCPServer" in file.kind(called.value):
            return called.attr
    return None


def _messages(file: File, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """`{"role": r, "content": c}` in the list that a prompt returns is `Message(c, role=r)`."""
    for node in ast.walk(function):
        match node:
            case ast.Return(value=ast.List(elts=elts)):
                for element in elts:
                    _message(file, element)
            case ast.Return(value=ast.Dict() as value):
                _message(file, value)


def _message(file: File, element: ast.expr) -> None:
    match element:
        case ast.Dict(
            keys=[ast.Constant(value="role"), ast.Constant(value="content")], values=[role, content]
        ):
            pass
        case ast.Dict(
            keys=[ast.Constant(value="content"), ast.Constant(value="role")], values=[content, role]
        ):
            pass
        case _:
            return
    message = file.named("fastmcp.prompts.Message")
    file.edits.rewrite(element, f"{message}({file.edits.written(content)}, role={file.edits.written(role)})")
