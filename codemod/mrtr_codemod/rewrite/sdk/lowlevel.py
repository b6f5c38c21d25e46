"""The decorators of the low-level server, which `mcp` 2 has no more, as handlers that are added to it.

The decorated function stays; a handler in the new form calls it and wraps what it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from ..facts import Facts
from ..fresh import FreshNames
from ..syntax import as_ast, code
from ..tree import children_of

SERVERS = ("mcp.server.Server", "mcp.server.lowlevel.Server", "mcp.server.lowlevel.server.Server")
_LISTS = {
    "list_tools": ("tools/list", "ListToolsResult", "tools"),
    "list_prompts": ("prompts/list", "ListPromptsResult", "prompts"),
    "list_resources": ("resources/list", "ListResourcesResult", "resources"),
    "list_resource_templates": (
        "resources/templates/list",
        "ListResourceTemplatesResult",
        "resource_templates",
    ),
}
_OTHERS = (
    "read_resource", "subscribe_resource", "unsubscribe_resource", "set_logging_level", "completion",
    "progress_notification",
)  # fmt: skip


def server_names(tree: cst.Module, facts: Facts) -> set[str]:
    """The variables that hold a low-level server."""
    found: set[str] = set()

    def walk(node: cst.CSTNode) -> None:
        built = node.value.func if isinstance(node, cst.Assign) and isinstance(node.value, cst.Call) else None
        if built is not None and facts.origin(as_ast(built)) in SERVERS and isinstance(node, cst.Assign):
            found.update(code(target.target) for target in node.targets)
        for child in children_of(node):
            walk(child)

    walk(tree)
    return found


@dataclass
class LowLevel:
    """Moves decorated functions of one file. `named` gives the name of a type of `mcp.types`, imported if need be."""

    servers: set[str]
    named: Callable[[str], str]
    context: Callable[[], str]
    notes: list[str]
    fresh: FreshNames

    def moved(self, function: cst.FunctionDef) -> cst.FunctionDef | cst.FlattenSentinel[cst.BaseStatement]:
        """The function without the decorators that are gone, followed by the handlers that take their place."""
        kept, added = [], []
        for decorator in function.decorators:
            server, name = self._decorator(decorator.decorator)
            handler = self._handler(function, server, name) if server else None
            if server and handler is None:
                self.notes.append(
                    f"`@{server}.{name}()` on `{function.name.value}` is gone: pass a function (ctx, params) that "
                    f"returns a result model as `on_{name}=` to `Server(...)`"
                )
            if handler is None:
                kept.append(decorator)
            else:
                added += handler
        if not added:
            return function
        blank = [cst.EmptyLine(indent=False)] * 2
        first, second = added[0].with_changes(leading_lines=blank), added[1].with_changes(leading_lines=blank)
        return cst.FlattenSentinel([function.with_changes(decorators=kept), first, second])

    def _decorator(self, expr: cst.BaseExpression) -> tuple[str, str]:
        if isinstance(expr, cst.Call) and isinstance(expr.func, cst.Attribute):
            server, name = code(expr.func.value), expr.func.attr.value
            if server in self.servers and (
                name in _LISTS or name in _OTHERS or name in ("call_tool", "get_prompt")
            ):
                return server, name
        return "", ""

    def _handler(self, function: cst.FunctionDef, server: str, name: str) -> list[cst.BaseStatement] | None:
        count = len(function.params.params)
        returns = code(function.returns.annotation) if function.returns is not None else ""
        if name in _LISTS and count == 0:
            return self._list(function, server, name, returns)
        if name == "call_tool" and count == 2:
            return self._call_tool(function, server, returns)
        if name == "get_prompt" and count == 2 and returns.endswith("GetPromptResult"):
            call = f"return await {function.name.value}(params.name, params.arguments)"
            return self._added(
                server, "prompts/get", "GetPromptRequestParams", "GetPromptResult", [call], "get_prompt"
            )
        return None

    def _list(
        self, function: cst.FunctionDef, server: str, name: str, returns: str
    ) -> list[cst.BaseStatement] | None:
        method, result, key = _LISTS[name]
        call = f"await {function.name.value}()"
        if returns.endswith(result):
            body = f"return {call}"
        elif returns.startswith(("list[", "List[")):
            body = f"return {self.named(result)}({key}={call})"
        else:
            return None
        return self._added(server, method, "PaginatedRequestParams", result, [body], name)

    def _call_tool(
        self, function: cst.FunctionDef, server: str, returns: str
    ) -> list[cst.BaseStatement] | None:
        call = f"await {function.name.value}(params.name, params.arguments or {{}})"
        result, text = self.named("CallToolResult"), self.named("TextContent")
        if returns.endswith("CallToolResult"):
            gives = call
        elif returns.startswith(("list[", "List[", "Sequence[", "Iterable[")):
            gives = f"{result}(content=list({call}))"
        else:
            return None
        body = [
            "try:",
            f"    return {gives}",
            "except Exception as error:",
            f'    return {result}(content=[{text}(type="text", text=str(error))], is_error=True)',
        ]
        self.notes.append(
            f"`{function.name.value}`: arguments are checked against no schema before the call any more"
        )
        return self._added(server, "tools/call", "CallToolRequestParams", "CallToolResult", body, "call_tool")

    def _added(
        self, server: str, method: str, params: str, result: str, body: list[str], name: str
    ) -> list[cst.BaseStatement]:
        handler = self.fresh(f"on_{name}")
        taken = self.named(params)
        lines = [
            f"async def {handler}(ctx: {self.context()}, params: {taken}) -> {self.named(result)}:",
            *(f"    {line}" for line in body),
        ]
        register = f'{server}.add_request_handler("{method}", {taken}, {handler})'
        return [cst.parse_statement("\n".join(lines)), cst.parse_statement(register)]
