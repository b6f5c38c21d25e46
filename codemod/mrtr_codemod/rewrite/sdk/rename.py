"""Rename what `mcp` 2 renamed, in one file, by where each name was imported from."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import libcst as cst

from ..asks import dotted
from ..facts import Facts, facts_of
from ..fresh import FreshNames
from ..imports import add_imports, drop_unused
from ..syntax import all_params, as_ast, code, simple_assignments
from ..valuetypes.infer import Inference
from .lowlevel import LowLevel, server_names
from .names import CAMEL, NAMES, is_old, moved, snake
from .transport import move_transport

_SESSIONS = ("mcp.server.session.ServerSession", "mcp.server.ServerSession")
_CONTEXTS = ("mcp.server.fastmcp.Context", "mcp.server.fastmcp.server.Context")


@dataclass(frozen=True)
class Renamed:
    """A file in the terms of `mcp` 2, and what in it has to be moved by hand."""

    source: str
    notes: tuple[str, ...]


def rename(source: bytes) -> Renamed:
    """Rename what `source` takes from `mcp` 1.x. The same text, without notes, if it takes nothing from there."""
    tree = cst.parse_module(source)
    facts = facts_of(ast.parse(tree.bytes))
    if not any(o == "mcp" or o.startswith("mcp.") for o in facts.imports.values()):
        return Renamed(tree.code, ())
    changer = _Renamer(facts, tree)
    changed = move_transport(tree, facts, changer.notes).visit(changer)
    changed = drop_unused(add_imports(changed, changer.wanted), tree)
    return Renamed(changed.code, tuple(dict.fromkeys(changer.notes)))


class _Renamer(cst.CSTTransformer):
    """Imports, names, errors, attributes and the parameters of `Context`."""

    def __init__(self, facts: Facts, tree: cst.Module) -> None:
        super().__init__()
        self.facts = facts
        self.notes: list[str] = []
        self.infer = Inference(facts, {})
        # A name that was imported under its own name follows the import, unless the new one is taken here.
        self.locals = {
            local: moved(origin).rpartition(".")[2]
            for local, origin in facts.imports.items()
            if origin in NAMES
            and local == origin.rpartition(".")[2]
            and moved(origin).rpartition(".")[2] not in facts.names
        }
        self.parameters: list[dict[str, str]] = []
        self.wanted: dict[str, str] = {}
        fresh = FreshNames(facts.names)
        self.low_level = LowLevel(
            server_names(tree, facts), self._type, self._request_context, self.notes, fresh
        )

    def _type(self, name: str) -> str:
        """How a type of `mcp.types` is called in this file; asks for an import if it has no name yet."""
        for local, origin in self.facts.imports.items():
            if origin in (f"mcp.types.{name}", f"mcp_types.{name}"):
                return local
            if origin in ("mcp.types", "mcp_types"):
                return f"{local}.{name}"
        self.wanted[f"mcp.types.{name}"] = name
        return name

    def _request_context(self) -> str:
        self.wanted["mcp.server.ServerRequestContext"] = "ServerRequestContext"
        return "ServerRequestContext"

    # ── imports ───────────────────────────────────────────────────────────────────────────────

    def leave_ImportFrom(self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom) -> cst.ImportFrom:
        module = code(original_node.module) if original_node.module is not None else ""
        if original_node.relative or isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        aliases = [self._alias(alias, module) for alias in updated_node.names]
        return (
            updated_node.with_changes(module=_dotted_node(moved(module)), names=aliases)
            if module
            else updated_node
        )

    def _alias(self, alias: cst.ImportAlias, module: str) -> cst.ImportAlias:
        old = code(alias.name)
        new = moved(f"{module}.{old}").rpartition(".")[2]
        if new == old:
            return alias
        keeps = alias.asname is None and old not in self.locals
        asname = cst.AsName(cst.Name(old)) if keeps else alias.asname
        return alias.with_changes(name=cst.Name(new), asname=asname)

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:
        names = [a.with_changes(name=_dotted_node(moved(code(a.name)))) for a in updated_node.names]
        return updated_node.with_changes(names=names)

    # ── uses ──────────────────────────────────────────────────────────────────────────────────

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        new = self.locals.get(original_node.value)
        return updated_node.with_changes(value=new) if new is not None else updated_node

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        return False

    def visit_Arg_keyword(self, node: cst.Arg) -> None:
        return None

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        # A keyword is no use of the name.
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        path = dotted(original_node)
        if (
            original_node.attr.value == "request_context"
            and code(original_node.value) in self.low_level.servers
        ):
            self.notes.append(f"`{path}` is gone: handlers take the context as their first parameter")
        origin = self.facts.origin(as_ast(original_node)) if path else None
        if origin is not None and is_old(origin):
            return _dotted_node(_rebased(path or "", origin, self.facts))
        updated_node = updated_node.with_changes(attr=original_node.attr)
        name = original_node.attr.value
        if name not in CAMEL:
            return updated_node
        if self._is_sdk_value(original_node.value):
            return updated_node.with_changes(attr=cst.Name(snake(name)))
        if origin is None:
            self.notes.append(
                f"`{code(original_node)}`: if this is a type of the SDK, it is `.{snake(name)}` now"
            )
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        known: dict[str, str] = {}
        for param in all_params(node):
            origin = self.facts.origin(as_ast(param.annotation.annotation)) if param.annotation else None
            if origin is not None and origin.startswith(("mcp.", "mcp_types.")):
                known[param.name.value] = origin
        for name, value in simple_assignments(node):
            called = value.expression if isinstance(value, cst.Await) else value
            if isinstance(called, cst.Call) and self._gives_sdk_type(called):
                known[name] = "mcp.types"
        self.parameters.append(known)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.FlattenSentinel[cst.BaseStatement]:
        self.parameters.pop()
        return self.low_level.moved(updated_node)

    def _is_sdk_value(self, expr: cst.BaseExpression) -> bool:
        if isinstance(expr, cst.Name):
            return any(expr.value in known for known in self.parameters)
        called = expr.expression if isinstance(expr, cst.Await) else expr
        return isinstance(called, cst.Call) and self._gives_sdk_type(called)

    def _gives_sdk_type(self, call: cst.Call) -> bool:
        origin = self.facts.origin(as_ast(call.func)) if dotted(call.func) else None
        if origin is not None:
            return origin.startswith(("mcp.types.", "mcp_types."))
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        owner = dotted(call.func.value) if isinstance(call.func, cst.Attribute) else None
        asks = ("create_message", "elicit_form", "elicit_url", "list_roots")
        return method in asks and owner is not None and owner.rpartition(".")[2] == "session"

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        origin = self.facts.origin(as_ast(original_node.func)) if dotted(original_node.func) else None
        if origin in ("mcp.shared.exceptions.McpError", "mcp.McpError") and len(updated_node.args) == 1:
            return self._error(updated_node)
        if origin is not None and origin.startswith(("mcp.types.", "mcp_types.")):
            return updated_node.with_changes(args=[_snake_keyword(arg) for arg in updated_node.args])
        return updated_node

    def _error(self, call: cst.Call) -> cst.Call:
        """`McpError(ErrorData(code=c, message=m))` is `MCPError(code=c, message=m)` now."""
        data = call.args[0].value
        if isinstance(data, cst.Call) and code(data.func).rpartition(".")[2] == "ErrorData":
            return call.with_changes(args=data.args)
        return call.with_changes(func=cst.Attribute(call.func, cst.Name("from_error_data")))

    def leave_Subscript(
        self, original_node: cst.Subscript, updated_node: cst.Subscript
    ) -> cst.BaseExpression:
        """`Context[ServerSession, App]` is `Context[App]` now."""
        origin = self.facts.origin(as_ast(original_node.value)) if dotted(original_node.value) else None
        if origin not in _CONTEXTS:
            return updated_node
        first = original_node.slice[0].slice
        if not isinstance(first, cst.Index) or self.facts.origin(as_ast(first.value)) not in _SESSIONS:
            return updated_node
        kept = list(updated_node.slice[1:])
        if all(code(e.slice) == "None" for e in kept):
            return updated_node.value
        return updated_node.with_changes(slice=kept)


def _snake_keyword(arg: cst.Arg) -> cst.Arg:
    if arg.keyword is not None and arg.keyword.value in CAMEL:
        return arg.with_changes(keyword=cst.Name(snake(arg.keyword.value)))
    return arg


def _dotted_node(path: str) -> cst.Attribute | cst.Name:
    parsed = cst.parse_expression(path)
    assert isinstance(parsed, (cst.Attribute, cst.Name))
    return parsed


def _rebased(path: str, origin: str, facts: Facts) -> str:
    """The new path to what `path` led to: `fastmcp.FastMCP` as `fastmcp.MCPServer` under the same import."""
    start = path.partition(".")[0]
    base = moved(facts.imports[start])
    new = moved(origin)
    return f"{start}{new[len(base) :]}" if new.startswith(base) else new
