"""What only served the old way of asking: completion notices, aliases of the session, elicitation ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import cast

import libcst as cst

from .asks import dotted
from .module_view import Function, ModuleView
from .sites import find_sites
from .syntax import code
from .tree import children_of


def without_completion(node: cst.FunctionDef, function: Function) -> cst.FunctionDef:
    """Drop `send_elicit_complete(...)`: the notification is gone from the protocol."""
    if function.channel is None:
        return node
    return cast("cst.FunctionDef", node.visit(_DropCompletion(function.channel.session_paths)))


class _EmptyBlocks(cst.CSTTransformer):
    """Fills blocks that lost their last statement."""

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])


class _DropCompletion(_EmptyBlocks):
    def __init__(self, sessions: set[str]) -> None:
        super().__init__()
        self.sessions = sessions

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        small = updated_node.body[0]
        if len(updated_node.body) == 1 and isinstance(small, cst.Expr) and isinstance(small.value, cst.Await):
            call = small.value.expression
            method = dotted(call.func) if isinstance(call, cst.Call) else None
            if method in {f"{session}.send_elicit_complete" for session in self.sessions}:
                return cst.RemoveFromParent()
        return updated_node


def without_leftovers(
    node: cst.FunctionDef, function: Function, view: ModuleView, asking: Callable[[Function], bool]
) -> cst.FunctionDef:
    """Drop locals that only served to ask: aliases of the session, ids that the protocol has no place for any more."""
    sites = find_sites(node, function, view, asking)
    gone = {n.value for s in sites for a in s.asks for e in a.dropped() for n in _names_below(e)}
    served: list[cst.CSTNode] = [e for s in sites for a in s.asks for e in a.dropped()]
    if function.channel is not None:
        gone |= function.channel.sessions
        served += [m for s in sites for m in view.mentions(s.stmt, function)]
    inside = {id(n) for part in served for n in _names_below(part)}
    unused = {
        n for n in gone if not any(x.value == n and id(x) not in inside for x in _names_below(node.body))
    }
    return cast("cst.FunctionDef", node.visit(_DropAssignments(unused))) if unused else node


def _names_below(node: cst.CSTNode) -> list[cst.Name]:
    """The names that an expression or statement reads; attributes and keywords are none."""
    if isinstance(node, cst.Name):
        return [node]
    if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Name):
        return []
    parts: Sequence[cst.CSTNode] = children_of(node)
    if isinstance(node, (cst.Attribute, cst.Arg)):
        parts = [node.value]
    return [n for part in parts for n in _names_below(part)]


class _DropAssignments(_EmptyBlocks):
    """Drops `name = value` for names that nothing reads, if evaluating the value has no effect that anyone sees."""

    def __init__(self, names: set[str]) -> None:
        super().__init__()
        self.names = names

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        match updated_node.body:
            case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]:
                if name in self.names and _unseen(value):
                    return cst.RemoveFromParent()
        return updated_node


def _unseen(value: cst.BaseExpression) -> bool:
    text = code(value)
    return (
        "(" not in text
        or re.fullmatch(r"(f?[\"'])?(str\()?(uuid\.)?uuid4\(\)\)?(\.hex)?(\[:\d+\])?", text) is not None
    )
