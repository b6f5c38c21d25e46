"""Transport options moved from the server's constructor to `run`."""

from __future__ import annotations

import ast

import libcst as cst

from ..facts import Facts
from ..syntax import calls_in, code
from .names import TRANSPORT

_SERVERS = ("mcp.server.fastmcp.FastMCP", "mcp.server.fastmcp.server.FastMCP", "mcp.server.FastMCP")
STARTS = {
    "run": None, "streamable_http_app": "streamable-http", "sse_app": "sse", "run_sse_async": "sse",
    "run_streamable_http_async": "streamable-http",
}  # fmt: skip
"""The methods that start a server, and the transport of each; `run` takes it as an argument."""


def move_transport(tree: cst.Module, facts: Facts, notes: list[str]) -> cst.Module:
    """Move `host=`, `port=` and the like from `FastMCP(...)` to the `run` of the same server.

    What can't be moved is left out of the constructor, which takes it no more, and told in `notes`.
    """
    moved: dict[str, list[cst.Arg]] = {}
    for name, value in facts.values.items():
        if isinstance(value, ast.Call) and facts.origin(value.func) in _SERVERS:
            options = [k.arg for k in value.keywords if k.arg in TRANSPORT]
            if options:
                moved[name] = []
    if not moved:
        return tree
    return tree.visit(_Mover(moved, _arguments(tree, moved), notes))


def _arguments(tree: cst.Module, moved: dict[str, list[cst.Arg]]) -> dict[str, list[cst.Arg]]:
    """The transport options of each server."""
    found: dict[str, list[cst.Arg]] = {}
    for stmt in tree.body:
        small = stmt.body[0] if isinstance(stmt, cst.SimpleStatementLine) else None
        if isinstance(small, cst.Assign) and isinstance(small.value, cst.Call):
            name = code(small.targets[0].target)
            if name in moved:
                found[name] = [
                    a for a in small.value.args if a.keyword is not None and a.keyword.value in TRANSPORT
                ]
    return found


class _Mover(cst.CSTTransformer):
    def __init__(
        self, moved: dict[str, list[cst.Arg]], options: dict[str, list[cst.Arg]], notes: list[str]
    ) -> None:
        super().__init__()
        self.options = options
        self.notes = notes
        self.placed: set[str] = set()

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        name = code(original_node.targets[0].target)
        if name not in self.options or not isinstance(updated_node.value, cst.Call):
            return updated_node
        kept = [a for a in updated_node.value.args if a.keyword is None or a.keyword.value not in TRANSPORT]
        if kept and updated_node.value.args[-1] not in kept:
            kept[-1] = kept[-1].with_changes(comma=updated_node.value.args[-1].comma)
        return updated_node.with_changes(value=updated_node.value.with_changes(args=kept))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        func = original_node.func
        if not (
            isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.attr.value in STARTS
        ):
            return updated_node
        options = self.options.get(func.value.value)
        if options is None:
            return updated_node
        self.placed.add(func.value.value)
        is_app = func.attr.value.endswith("_app")
        fitting = [
            a
            for a in options
            if _fits(a, _transport(original_node)) and not (is_app and _keyword(a) == "port")
        ]
        given = {a.keyword.value for a in updated_node.args if a.keyword is not None}
        new = [
            a.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            for a in fitting
            if a.keyword and a.keyword.value not in given
        ]
        args = [a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in updated_node.args]
        return updated_node.with_changes(args=[*args, *new])

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        for name in self.options:
            if name not in self.placed and not any(_runs(c, name) for c in calls_in(original_node)):
                shown = ", ".join(
                    f"{a.keyword.value}={code(a.value)}" for a in self.options[name] if a.keyword
                )
                self.notes.append(
                    f"`{name}` was built with {shown}: pass this to its `run` or its `*_app()`, where it is started"
                )
        return updated_node


def _keyword(arg: cst.Arg) -> str:
    return arg.keyword.value if arg.keyword is not None else ""


def _runs(call: cst.Call, name: str) -> bool:
    return any(code(call.func) == f"{name}.{start}" for start in STARTS)


def _transport(call: cst.Call) -> str | None:
    """The literal transport of a call that starts a server; `stdio` if it says none, None if it is computed."""
    fixed = STARTS[call.func.attr.value] if isinstance(call.func, cst.Attribute) else None
    if fixed is not None:
        return fixed
    for index, arg in enumerate(call.args):
        if (arg.keyword is None and index == 0) or (
            arg.keyword is not None and arg.keyword.value == "transport"
        ):
            return str(arg.value.evaluated_value) if isinstance(arg.value, cst.SimpleString) else None
    return "stdio"


def _fits(arg: cst.Arg, transport: str | None) -> bool:
    """Whether `run` takes the option for this transport. Of one that is not known, only what both take."""
    assert arg.keyword is not None
    allowed = TRANSPORT[arg.keyword.value]
    return len(allowed) == 2 if transport is None else transport in allowed
