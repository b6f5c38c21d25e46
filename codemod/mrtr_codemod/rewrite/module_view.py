"""The functions of one module, how each reaches the client, and which of them ask."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

import libcst as cst

from .asks import FUNCTIONS, AskCall, Channel, Framework, Spelling, bind, dotted
from .facts import Facts, facts_of
from .syntax import all_params, as_ast, bound_arguments, calls_in, raised_in, simple_assignments
from .tree import children_of

_CONTEXTS = {
    "mcp.server.mcpserver.Context": Framework.MCP,
    "mcp.server.mcpserver.context.Context": Framework.MCP,
    "mcp.server.mcpserver.server.Context": Framework.MCP,
    "mcp.server.fastmcp.Context": Framework.MCP,
    "mcp.server.fastmcp.server.Context": Framework.MCP,
    "fastmcp.Context": Framework.FASTMCP,
    "fastmcp.server.Context": Framework.FASTMCP,
    "fastmcp.server.context.Context": Framework.FASTMCP,
    "mcp.server.ServerRequestContext": Framework.LOWLEVEL,
    "mcp.server.context.ServerRequestContext": Framework.LOWLEVEL,
    "mcp.server.lowlevel.ServerRequestContext": Framework.LOWLEVEL,
    "mcp.server.lowlevel.server.ServerRequestContext": Framework.LOWLEVEL,
}
_SERVERS = {"mcp.server.lowlevel.Server", "mcp.server.Server", "mcp.server.lowlevel.server.Server"}
_MAY_ASK = {
    "on_call_tool": "tools/call",
    "on_get_prompt": "prompts/get",
    "on_read_resource": "resources/read",
}
_DECORATORS = {"tool": "tools/call", "prompt": "prompts/get", "resource": "resources/read"}
_GET_CONTEXT = ("fastmcp.server.dependencies.get_context", "mcp.server.lowlevel.server.request_ctx.get")
_TOOLS = {"fastmcp.tools.Tool", "fastmcp.tools.tool.Tool", "fastmcp.tools.base.Tool"}
_GATHER = {"asyncio.gather"}
_FROM_THREAD = {"anyio.from_thread.run", "anyio.from_thread"}


@dataclass(eq=False)
class Function:
    """A function of the module. `owner` is the class of a method, `outer` the function around a nested one."""

    node: cst.FunctionDef
    qualname: str
    owner: str | None
    outer: str | None
    view: ModuleView = field(repr=False)
    """The module that it stands in."""
    line: int = 0
    method: str | None = None
    """The protocol method that it serves, if it is registered as a handler."""
    channel: Channel | None = None
    is_run: bool = False
    """It is the `run` of a tool that is a class of its own, whose results FastMCP does not wrap."""
    params_name: str | None = None
    """The request's params, for a handler of the low-level server."""

    @property
    def name(self) -> str:
        return self.node.name.value

    @property
    def is_async(self) -> bool:
        return self.node.asynchronous is not None

    def arguments(self, call: cst.Call) -> dict[str, cst.BaseExpression]:
        """The arguments of a call of this function, by parameter."""
        return bound_arguments(self.node, call, method=self.owner is not None)


@dataclass(eq=False)
class ModuleView:
    """A parsed module with its functions, by qualified name."""

    tree: cst.Module
    facts: Facts
    functions: dict[str, Function] = field(default_factory=dict)
    links: dict[tuple[str, str], Function] = field(default_factory=dict)
    """Functions that names alone don't lead to, of this module and others: by the caller, and how it spells them."""

    @classmethod
    def of(cls, source: str | bytes) -> ModuleView:
        """Parse a module.

        Raises:
            libcst.ParserSyntaxError: if it is not Python.
        """
        tree = cst.parse_module(source)
        view = cls(tree, facts_of(ast.parse(tree.bytes)))
        view._collect(tree, "", None, None)
        for function, line in zip(view.functions.values(), view.facts.lines, strict=True):
            function.line = line
        view._register()
        find_channels([view])
        return view

    def _collect(self, node: cst.CSTNode, prefix: str, owner: str | None, outer: str | None) -> None:
        for child in children_of(node):
            if isinstance(child, cst.FunctionDef):
                qualname = self._unique(f"{prefix}{child.name.value}")
                self.functions[qualname] = Function(child, qualname, owner, outer, self)
                self._collect(child, f"{qualname}.", None, qualname)
            elif isinstance(child, cst.ClassDef):
                name = f"{prefix}{child.name.value}"
                self._collect(child, f"{name}.", name, outer)
            else:
                self._collect(child, prefix, owner, outer)

    def _unique(self, qualname: str) -> str:
        """A function that is defined again under the same name gets a number."""
        number, name = 1, qualname
        while name in self.functions:
            number += 1
            name = f"{qualname}#{number}"
        return name

    # ── handlers ──────────────────────────────────────────────────────────────────────────────

    def _register(self) -> None:
        for function in self.functions.values():
            if function.name == "run" and self._is_tool(function.owner):
                function.method, function.is_run = "tools/call", True
            for decorator in function.node.decorators:
                function.method = function.method or self._decorated(decorator.decorator)
        for call in calls_in(self.tree):
            self._registered_by_call(call)

    def _is_tool(self, owner: str | None) -> bool:
        declared = self.facts.classes.get(owner or "")
        return declared is not None and any(self.facts.origin(base) in _TOOLS for base in declared.bases)

    def _decorated(self, decorator: cst.BaseExpression) -> str | None:
        called = decorator.func if isinstance(decorator, cst.Call) else decorator
        if isinstance(called, cst.Attribute) and called.attr.value in _DECORATORS:
            return _DECORATORS[called.attr.value]
        return None

    def _registered_by_call(self, call: cst.Call) -> None:
        for arg in call.args:
            keyword = arg.keyword.value if arg.keyword else None
            if keyword in _MAY_ASK and self.origin(call.func) in _SERVERS:
                function = self._mentioned(arg.value)
                if function is not None:
                    self._low_level(function, _MAY_ASK[keyword])
        positional = [a.value for a in call.args if a.keyword is None]
        if isinstance(call.func, cst.Attribute):
            name = call.func.attr.value
            if name == "add_request_handler" and len(positional) == 3:
                self._added(positional[0], positional[2])
            if name in ("add_tool", "add_prompt", "add_resource") and positional:
                function = self._mentioned(positional[0])
                if function is not None:
                    function.method = _DECORATORS[name.removeprefix("add_")]
        if isinstance(call.func, cst.Call) and positional and (method := self._decorated(call.func)):
            function = self._mentioned(positional[0])
            if function is not None:
                function.method = method

    def _added(self, method: cst.BaseExpression, handler: cst.BaseExpression) -> None:
        """`server.add_request_handler("tools/call", CallToolRequestParams, handler)`."""
        served = method.evaluated_value if isinstance(method, cst.SimpleString) else None
        function = self._mentioned(handler)
        if function is not None and isinstance(served, str) and served in _MAY_ASK.values():
            self._low_level(function, served)

    def _mentioned(self, expr: cst.BaseExpression) -> Function | None:
        """The function that `name`, `self.name` or `Class.name` stands for, if there is just one such."""
        path = dotted(expr)
        if path is None:
            return None
        if path.startswith("self."):
            path = path.removeprefix("self.")
            found = [f for f in self.functions.values() if f.owner and f.name == path]
            return found[0] if len(found) == 1 else None
        return self.functions.get(path)

    def _low_level(self, function: Function, method: str) -> None:
        names = [p.name.value for p in function.node.params.params]
        if len(names) >= 2:
            function.method = method
            function.channel = self._channel(function, names[0], Framework.LOWLEVEL)
            function.params_name = names[1]

    # ── channels ──────────────────────────────────────────────────────────────────────────────

    def own_channels(self) -> None:
        """Note how each function reaches the client by itself."""
        for function in self.functions.values():
            if function.channel is None:
                function.channel = self._own_channel(function)

    def hand_down(self) -> bool:
        """Note the contexts that functions get from their callers; whether any was new."""
        callers = [(f, f.channel) for f in self.functions.values() if f.channel is not None]
        return any(self._hand_down(caller, channel) for caller, channel in callers)

    def _own_channel(self, function: Function) -> Channel | None:
        for param in all_params(function.node):
            framework = self._context_type(param.annotation.annotation) if param.annotation else None
            if framework is not None:
                return self._channel(function, param.name.value, framework)
        for name, value in simple_assignments(function.node):
            if isinstance(value, cst.Call) and (origin := self.origin(value.func)) in _GET_CONTEXT:
                framework = Framework.FASTMCP if str(origin).startswith("fastmcp") else Framework.LOWLEVEL
                return self._channel(function, name, framework)
        for call in calls_in(function.node.body):
            if not call.args and self.origin(call.func) in _GET_CONTEXT[:1]:
                return self._channel(function, f"{dotted(call.func)}()", Framework.FASTMCP)
        return None

    def _context_type(self, annotation: cst.BaseExpression) -> Framework | None:
        expr = as_ast(annotation)
        if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
            try:
                expr = ast.parse(expr.value, mode="eval").body
            except SyntaxError:
                return None
        for node in ast.walk(expr):
            origin = self.facts.origin(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
            if origin in _CONTEXTS:
                return _CONTEXTS[origin]
        return None

    def _channel(self, function: Function, context: str, framework: Framework) -> Channel:
        paths = {f"{context}.session", f"{context}.request_context.session"}
        sessions = frozenset(n for n, value in simple_assignments(function.node) if dotted(value) in paths)
        return Channel(context, framework, sessions)

    def _hand_down(self, caller: Function, channel: Channel) -> bool:
        changed = False
        for call in calls_in(caller.node.body):
            callee = self.callee(call, caller)
            if callee is None or callee.channel is not None:
                continue
            bound = callee.arguments(call)
            for name, value in bound.items():
                if dotted(value) == channel.context:
                    callee.channel = callee.view._channel(callee, name, channel.framework)
                    changed = True
        return changed

    # ── questions about expressions ───────────────────────────────────────────────────────────

    def origin(self, expr: cst.BaseExpression) -> str | None:
        path = dotted(expr)
        return self.facts.origin(ast.parse(path, mode="eval").body) if path else None

    def callee(self, call: cst.Call, caller: Function) -> Function | None:
        """The function that `call` calls, of this module or another that is rewritten along."""
        path = dotted(call.func)
        if path is None:
            return None
        return self.named(path, caller) or self.links.get((caller.qualname, path))

    def named(self, path: str, caller: Function) -> Function | None:
        """The function of this module that `path` names in the function `caller`."""
        owner = caller.owner
        if path.startswith("self.") and owner:
            return self.functions.get(f"{owner}.{path.removeprefix('self.')}")
        scope = caller.qualname
        while scope:  # the function around a nested one sees its own nested functions first
            if (found := self.functions.get(f"{scope}.{path}")) and not found.owner:
                return found
            scope = scope.rpartition(".")[0]
        found = self.functions.get(path)
        return found if found and (found.owner is None or "." in path) else None

    def asks(self, expr: cst.BaseExpression, function: Function) -> list[AskCall]:
        """The requests that the awaited (or thread-hopping) `expr` makes, several if it gathers them."""
        if function.channel is None:
            return []
        if isinstance(expr, cst.Await) and isinstance(expr.expression, cst.Call):
            call = expr.expression
            if (function.qualname, dotted(call.func) or "") in self.links:
                return []
            if (one := self._ask(call, function.channel)) is not None:
                return [one]
            gathers = self.origin(call.func) in _GATHER or dotted(call.func) in _GATHER
            if gathers and (each := self._asked_for_each(call, function.channel)) is not None:
                return [each]
            if gathers and call.args:
                found = [
                    self._ask(a.value, function.channel)
                    for a in call.args
                    if not a.star and a.keyword is None
                ]
                if len(found) == len(call.args) and all(found):
                    return [a for a in found if a is not None]
        if isinstance(expr, cst.Call) and self.origin(expr.func) in _FROM_THREAD and expr.args:
            spelling = function.channel.spelling(expr.args[0].value)
            if spelling is not None:
                return [bind(spelling, list(expr.args[1:]))]
        return []

    def _asked_for_each(self, call: cst.Call, channel: Channel) -> AskCall | None:
        """The ask in `gather(*[ask(item) for item in items])`."""
        comprehension = call.args[0].value if len(call.args) == 1 and call.args[0].star == "*" else None
        if not isinstance(comprehension, (cst.ListComp, cst.GeneratorExp)):
            return None
        each = comprehension.for_in
        if each.asynchronous is not None or each.inner_for_in is not None:
            return None
        ask = self._ask(comprehension.elt, channel)
        return replace(ask, each=each) if ask is not None else None

    def is_question(self, call: cst.Call, function: Function) -> bool:
        """Whether a call asks once it is awaited."""
        return function.channel is not None and self._ask(call, function.channel) is not None

    def _ask(self, call: cst.BaseExpression, channel: Channel) -> AskCall | None:
        if not isinstance(call, cst.Call):
            return None
        spelling = channel.spelling(call.func) or self._asking_function(call, channel)
        return bind(spelling, list(call.args)) if spelling is not None else None

    def _asking_function(self, call: cst.Call, channel: Channel) -> Spelling | None:
        """The spelling of a call such as `elicit_with_validation(ctx.session, …)`."""
        spelling = FUNCTIONS.get(self.origin(call.func) or "")
        on = {dotted(a.value) for a in call.args[:1] if a.keyword is None}
        on |= {dotted(a.value) for a in call.args if a.keyword is not None and a.keyword.value == "session"}
        return spelling if on & channel.session_paths else None

    def raises_url_required(self, function: Function) -> bool:
        """Whether a function ends its call with the error -32042, which made the client open pages and call again."""
        return any(
            (self.origin(call.func) or "").rpartition(".")[2] == "UrlElicitationRequiredError"
            for call in raised_in(function.node.body)
        )

    def mentions(self, node: cst.CSTNode, function: Function) -> list[cst.BaseExpression]:
        """All functions and bound methods below `node` that would ask when called, however they are used."""
        found: list[cst.BaseExpression] = []
        if function.channel is None:
            return found
        if isinstance(node, cst.Attribute) and function.channel.spelling(node) is not None:
            return [node]
        if isinstance(node, (cst.Name, cst.Attribute)) and self.origin(node) in FUNCTIONS:
            return [node]
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            return found
        for child in children_of(node):
            found += self.mentions(child, function)
        return found


def find_channels(views: list[ModuleView]) -> None:
    """Find out how each function of some modules reaches the client: a helper gets its context from its callers."""
    for view in views:
        view.own_channels()
    while any(view.hand_down() for view in views):
        pass
