"""What the decorators of the low-level server made of a function's result, spelled out in the new handler."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..facts import FunctionNode
from .file import File

LISTS = {
    "list_tools": ("tools/list", "ListToolsResult", "tools"),
    "list_prompts": ("prompts/list", "ListPromptsResult", "prompts"),
    "list_resources": ("resources/list", "ListResourcesResult", "resources"),
    "list_resource_templates": (
        "resources/templates/list",
        "ListResourceTemplatesResult",
        "resource_templates",
    ),
}
"""For each decorator of a list: the method, the type of its result, and the field that holds the list."""

_REQUESTS = {
    "list_tools": "ListToolsRequest",
    "list_prompts": "ListPromptsRequest",
    "list_resources": "ListResourcesRequest",
    "list_resource_templates": "ListResourceTemplatesRequest",
}
_SEQUENCES = ("list", "List", "Sequence", "Iterable", "tuple")


@dataclass(frozen=True)
class Handler:
    """The statements of a handler that takes `ctx` and `params`."""

    body: list[str]


def handler_for(file: File, name: str, function: FunctionNode, context: bool) -> Handler | None:
    """The handler for a decorated function, or None if the function's parameters do not fit its decorator. With
    `context`, the function takes the request's context as its last parameter."""
    count = len(function.args.args)
    if function.args.vararg or function.args.kwonlyargs or not isinstance(function, ast.AsyncFunctionDef):
        return None
    makers = {
        "call_tool": (2, _call_tool),
        "get_prompt": (2, _get_prompt),
        "read_resource": (1, _read_resource),
        "subscribe_resource": (1, _subscribe),
        "unsubscribe_resource": (1, _subscribe),
        "set_logging_level": (1, _set_level),
        "completion": (3, _completion),
        "progress_notification": (4, _progress),
    }
    if name in LISTS:
        return _list(file, name, function, count, context) if count in (0, 1) else None
    expected, make = makers[name]
    return make(file, function, context) if count == expected else None


def _call(function: FunctionNode, arguments: list[str], context: bool) -> str:
    given = [*arguments, "ctx"] if context else arguments
    return f"await {function.name}({', '.join(given)})"


# ── what a function gives ─────────────────────────────────────────────────────────────────────


def _shapes(file: File, function: FunctionNode) -> set[str]:
    """What the function's results may be: `list`, `dict`, `pair`, `str`, `bytes`, the name of a type, or `?`."""
    if function.returns is not None:
        return _annotated(file, function.returns)
    found = {_shape(file, n.value) for n in _own_returns(function) if n.value is not None}
    return found or {"?"}


def _own_returns(function: FunctionNode) -> list[ast.Return]:
    found: list[ast.Return] = []
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return):
            found.append(node)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)
    return found


def _shape(file: File, value: ast.expr) -> str:
    kind = file.kind(value)
    if len(kind) == 1 and not next(iter(kind)).startswith(("class:", "list[", "dict[")):
        return next(iter(kind))
    if isinstance(value, (ast.List, ast.ListComp)) or (kind and all(k.startswith("list[") for k in kind)):
        return "list"
    if isinstance(value, (ast.Dict, ast.DictComp)):
        return "dict"
    if isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return "str"
    return "?"


def _annotated(file: File, annotation: ast.expr) -> set[str]:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _annotated(file, annotation.left) | _annotated(file, annotation.right)
    base = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    name = ast.unparse(base).rpartition(".")[2]
    if isinstance(annotation, ast.Subscript) and name in ("tuple", "Tuple"):
        return {"pair"}
    if isinstance(annotation, ast.Subscript) and name == "Union":
        parts = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        return {shape for part in parts for shape in _annotated(file, part)}
    if name in _SEQUENCES:
        return {"list"}
    if name in ("dict", "Dict", "Mapping"):
        return {"dict"}
    if name in ("str", "bytes"):
        return {name}
    kind = file.receivers.annotated(annotation)
    return set(kind) if kind else {"?"}


# ── the handlers ──────────────────────────────────────────────────────────────────────────────


def _list(file: File, name: str, function: FunctionNode, count: int, context: bool) -> Handler:
    _, result, field = LISTS[name]
    request = [f"{file.type_named(_REQUESTS[name])}(params=params)"] if count else []
    call, shapes = _call(function, request, context), _shapes(file, function)
    if shapes == {result}:
        return Handler([f"return {call}"])
    named = file.type_named(result)
    if shapes == {"list"}:
        return Handler([f"return {named}({field}={call})"])
    given = f"found if isinstance(found, {named}) else {named}({field}=found)"
    return Handler([f"found = {call}", f"return {given}"])


def _call_tool(file: File, function: FunctionNode, context: bool) -> Handler:
    call = _call(function, ["params.name", "params.arguments or {}"], context)
    result, text = file.type_named("CallToolResult"), file.type_named("TextContent")
    told = "arguments are checked against no schema before the call any more"
    file.notes.add(function, f"`{function.name}`: {told}")
    shapes = _shapes(file, function)
    inside = _given(file, call, shapes)
    return Handler(
        [
            "try:",
            *(f"    {line}" for line in inside),
            *_passed(file),
            "except Exception as error:",
            f'    return {result}(content=[{text}(type="text", text=str(error))], is_error=True)',
        ]
    )


def _passed(file: File) -> list[str]:
    """The one error that went to the client as it was."""
    error = "UrlElicitationRequiredError"
    if error not in file.facts.names:
        return []
    return [f"except {file.named(f'mcp.shared.exceptions.{error}')}:", "    raise"]


def _given(file: File, call: str, shapes: set[str]) -> list[str]:
    result = file.type_named("CallToolResult")
    if shapes == {"CallToolResult"}:
        return [f"return {call}"]
    if shapes == {"list"}:
        return [f"return {result}(content=list({call}))"]
    if shapes == {"pair"}:
        return [
            f"content, structured = {call}",
            f"return {result}(content=list(content), structured_content=structured)",
        ]
    if shapes == {"dict"}:
        return [f"found = {call}", f"return {_as_dict(file)}"]
    lines = [f"found = {call}"]
    if shapes & {"CallToolResult", "?"}:
        lines += [f"if isinstance(found, {result}):", "    return found"]
    if shapes & {"dict", "?"}:
        lines += ["if isinstance(found, dict):", f"    return {_as_dict(file)}"]
    if shapes & {"pair", "?"}:
        lines += [
            "if isinstance(found, tuple) and len(found) == 2:",
            f"    return {result}(content=list(found[0]), structured_content=found[1])",
        ]
    return [*lines, f"return {result}(content=list(found))"]


def _as_dict(file: File) -> str:
    """Structured content, and the same as text."""
    result, text = file.type_named("CallToolResult"), file.type_named("TextContent")
    written = f'[{text}(type="text", text={file.named("json.dumps")}(found, indent=2))]'
    return f"{result}(content={written}, structured_content=found)"


def _get_prompt(file: File, function: FunctionNode, context: bool) -> Handler:
    return Handler([f"return {_call(function, ['params.name', 'params.arguments'], context)}"])


def _uri(file: File) -> str:
    """The old handlers were given a parsed URI."""
    return f"{file.named('pydantic.AnyUrl')}(params.uri)"


def _read_resource(file: File, function: FunctionNode, context: bool) -> Handler:
    call = _call(function, [_uri(file)], context)
    result, text = file.type_named("ReadResourceResult"), file.type_named("TextResourceContents")
    shapes = _shapes(file, function)
    if shapes == {"ReadResourceResult"}:
        return Handler([f"return {call}"])
    if shapes == {"str"}:
        one = f'{text}(uri=params.uri, text={call}, mime_type="text/plain")'
        return Handler([f"return {result}(contents=[{one}])"])
    blob, encode = file.type_named("BlobResourceContents"), file.named("base64.b64encode")
    if shapes == {"bytes"}:
        octets = f'blob={encode}({call}).decode(), mime_type="application/octet-stream"'
        return Handler([f"return {result}(contents=[{blob}(uri=params.uri, {octets})])"])
    lines = [f"found = {call}"]
    if shapes != {"list"}:
        lines += ["if isinstance(found, (str, bytes)):", f"    found = [{_contents(file)}(content=found)]"]
    as_text = f'{text}(uri=params.uri, text=item.content, mime_type=item.mime_type or "text/plain")'
    return Handler(
        [
            *lines,
            f"return {result}(",
            "    contents=[",
            f"        {as_text}",
            "        if isinstance(item.content, str)",
            f"        else {blob}(",
            "            uri=params.uri,",
            f"            blob={encode}(item.content).decode(),",
            '            mime_type=item.mime_type or "application/octet-stream",',
            "        )",
            "        for item in found",
            "    ]",
            ")",
        ]
    )


def _contents(file: File) -> str:
    return file.named("mcp.server.lowlevel.helper_types.ReadResourceContents")


def _subscribe(file: File, function: FunctionNode, context: bool) -> Handler:
    return Handler([_call(function, [_uri(file)], context), f"return {file.type_named('EmptyResult')}()"])


def _set_level(file: File, function: FunctionNode, context: bool) -> Handler:
    return Handler([_call(function, ["params.level"], context), f"return {file.type_named('EmptyResult')}()"])


def _completion(file: File, function: FunctionNode, context: bool) -> Handler:
    call = _call(function, ["params.ref", "params.argument", "params.context"], context)
    result, none = file.type_named("CompleteResult"), file.type_named("Completion")
    return Handler([f"return {result}(completion=({call}) or {none}(values=[]))"])


def _progress(file: File, function: FunctionNode, context: bool) -> Handler:
    given = ["params.progress_token", "params.progress", "params.total", "params.message"]
    return Handler([_call(function, given, context)])
