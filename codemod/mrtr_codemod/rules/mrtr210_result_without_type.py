"""MRTR210: a result is built by hand without `resultType`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.sdk import items
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.nodes import children
from mrtr_codemod.rules.base import SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_METHODS = frozenset({"tools/call", "prompts/get", "resources/read"})
_FIELD = "resultType"

_DISPATCH = """
def handle(message):
    method = message["method"]
    if method == "tools/list":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {"tools": []}}
    if method == "tools/call":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}}
"""
_WRAPPED = """
def reply(request_id, result):
    return {"jsonrpc": "2.0", "id": request_id, "result": result}
def call_tool(params):
    return {"content": []}
HANDLERS = {"tools/call": call_tool}
def handle(message):
    return reply(message["id"], HANDLERS[message["method"]](message["params"]))
"""
_TYPED = """
def reply(request_id, result):
    return {"jsonrpc": "2.0", "id": request_id, "result": {"resultType": "complete", **result}}
def handle(message):
    match message["method"]:
        case "tools/call":
            return reply(message["id"], {"content": []})
"""
_CLIENT = """
def request(name):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}}
def recorded():
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
"""
_STAND_IN = """
import pytest
def respond(message):
    if message["method"] == "tools/call":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {}}
"""
_LANGUAGE_SERVER = '''
def handle(message):
    """Unlike tools/call of MCP."""
    if message["method"] == "textDocument/hover":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {"contents": []}}
'''


def check(view: FileView) -> Iterator[Finding]:
    """One finding for each place where a response is put together."""
    if _is_test(view) or _says_type(view) or not _dispatches(view):
        return
    for entries in map(items, view.outside_asserts(ast.Dict)):
        if entries.keys() >= {"jsonrpc", "id", "result"}:
            yield view.finding(
                RULE,
                entries["result"],
                'a result without `resultType`: in 2026-07-28 an ordinary one says `"resultType": "complete"`',
            )


def _is_test(view: FileView) -> bool:
    """Whether a file imports a test framework: its responses are those of a stand-in."""
    names = {b.target.partition(".")[0] for found in view.module.bindings.values() for b in found}
    return not names.isdisjoint({"pytest", "unittest"})


def _says_type(view: FileView) -> bool:
    if _FIELD not in view.source.text:
        return False
    stack: list[ast.AST] = [view.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Constant) and node.value == _FIELD:
            return True
        if not isinstance(node, ast.Assert):
            stack += children(node)
    return False


def _dispatches(view: FileView) -> bool:
    """Whether a file takes calls apart by their method, as a server does that uses no SDK."""
    compared = [side for node in view.outside_asserts(ast.Compare) for side in (node.left, *node.comparators)]
    compared += [node.value for node in view.outside_asserts(ast.MatchValue)]
    compared += [key for node in view.outside_asserts(ast.Dict) for key in node.keys if key is not None]
    flat = [e for n in compared for e in (n.elts if isinstance(n, (ast.Tuple, ast.List, ast.Set)) else [n])]
    return any(isinstance(value, ast.Constant) and value.value in _METHODS for value in flat)


RULE = Rule(
    code="MRTR210",
    name="result-without-type",
    level=Level.WARNING,
    summary="A result is built by hand without `resultType`, which 2026-07-28 requires.",
    what="Finds JSON-RPC responses built as dicts, in files that take `tools/call`, `prompts/get` or "
    "`resources/read` apart "
    "themselves, when `resultType` occurs nowhere in the file. The SDKs add the field; such code must do "
    "it itself.",
    why="Every result of 2026-07-28 carries `resultType`. A client takes a missing one for the answer of an "
    "older server, "
    "or refuses the result.",
    example='```python\nreturn {"jsonrpc": "2.0", "id": request_id, "result": {"content": content}}\n```',
    remedy='Add `"resultType": "complete"` to ordinary results, `"input_required"` to those that ask.',
    reference=SPEC + "basic/index",
    check=check,
    words=("tools/call", "prompts/get", "resources/read"),
    concerns=re.compile(r"""["']jsonrpc["']""").search,
    valid=(_TYPED, _CLIENT, _STAND_IN, _LANGUAGE_SERVER),
    invalid=(_DISPATCH, _WRAPPED),
)
