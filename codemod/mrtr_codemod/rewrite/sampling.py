"""Exchanges with the client's model that FastMCP ran in one call: they become calls of a helper that asks in steps.

`ctx.sample` with tools or a result type asks as often as the model takes turns, and `ctx.sample_step` keeps the
messages; the vendored module `mrtr_steps_sampling` does both. A plain `ctx.sample` is one question and needs no helper.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.resources import files

import libcst as cst

from .asks import Framework, dotted
from .facts import Facts
from .module_view import Function, ModuleView
from .refusal import Refusal
from .syntax import as_ast, simple_assignments
from .tree import children_of
from .valuetypes.model import STR, Type, from_annotation

MODULE = "mrtr_steps_sampling"
HELPERS = {"sample": "sampled", "sample_step": "sampled_step"}
_TURNS = {"tools", "result_type", "mask_error_details", "tool_concurrency"}
_PLAIN = {"text", "result"}


@cache
def helpers() -> dict[str, Function]:
    """The functions of the vendored module, by the method of the context that each takes the place of."""
    source = files("mrtr_codemod.rewrite").joinpath("vendored", f"{MODULE}.py").read_text("utf-8")
    functions = ModuleView.of(source).functions
    return {method: functions[name] for method, name in HELPERS.items()}


def is_helper(function: Function) -> bool:
    """Whether a function is of the vendored module."""
    return function.name in HELPERS.values() and function is helpers().get(
        next(m for m, name in HELPERS.items() if name == function.name)
    )


def link_exchanges(view: ModuleView) -> None:
    """Lead the exchanges of a module to the helpers. In a function with one, all of its sampling goes there."""
    for function in view.functions.values():
        channel = function.channel
        if channel is None or channel.framework is not Framework.FASTMCP:
            continue
        calls = [c for c in _calls(function.node.body) if dotted(c.func) in _spellings(channel.context)]
        if any(_takes_turns(call) for call in calls) or (calls and _looks_at_history(function, calls)):
            for method, helper in helpers().items():
                view.links[function.qualname, f"{channel.context}.{method}"] = helper


def exchanges(function: Function) -> list[cst.Call]:
    """The calls in a function that lead to the helpers."""
    links = function.view.links
    found = []
    for call in _calls(function.node.body):
        callee = links.get((function.qualname, dotted(call.func) or ""))
        if callee is not None and is_helper(callee):
            found.append(call)
    return found


def refuse_unknown_tools(function: Function, asking: set[Function]) -> None:
    """Refuse an exchange whose tools ask, or may, or that is called in a way that the helper can't take.

    Raises:
        Refusal: naming the tool.
    """
    for call in exchanges(function):
        if any(arg.star for arg in call.args):
            raise Refusal("dynamic-ask", "the sampling takes starred arguments: spell them out")
        given = next((a.value for a in call.args if a.keyword and a.keyword.value == "tools"), None)
        if given is None or (isinstance(given, cst.Name) and given.value == "None"):
            continue
        if not isinstance(given, (cst.List, cst.Tuple)):
            raise Refusal(
                "sampling-tools", "which tools the model gets can't be told: list the functions in `tools=`"
            )
        for element in given.elements:
            _refuse_unknown(element.value, function, asking)


def _refuse_unknown(tool: cst.BaseExpression, function: Function, asking: set[Function]) -> None:
    name = dotted(tool) or "?"
    own = function.view.named(name, function)
    origin = function.view.origin(tool)
    if own is None and origin is None:
        raise Refusal(
            "sampling-tools",
            "whether a tool of the model asks can't be told: name plain functions in `tools=`",
        )
    found = function.view.facts.find(origin) if origin is not None else None
    for other in asking:
        elsewhere = found is not None and (other.view.facts.dotted, other.name) == (found[0].dotted, found[1])
        if other is own or elsewhere:
            raise Refusal(
                "asking-tool", f"the model may call `{name}`, which asks: when, and how often, is up to it"
            )


def exchange_type(helper: Function, given: dict[str, cst.BaseExpression], facts: Facts) -> Type | None:
    """The type of what an exchange gives."""
    if helper.name != HELPERS["sample"]:
        return Type(f"{MODULE}.SampledStep")
    wanted = given.get("result_type")
    if wanted is None or isinstance(as_ast(wanted), ast.Constant):
        return Type("mrtr_steps.Sampled", (STR,))
    found = from_annotation(as_ast(wanted), facts)
    return Type("mrtr_steps.Sampled", (found,)) if found is not None else None


def _spellings(context: str) -> set[str]:
    return {f"{context}.{method}" for method in HELPERS}


def _takes_turns(call: cst.Call) -> bool:
    func = cst.ensure_type(call.func, cst.Attribute)
    return func.attr.value == "sample_step" or any(a.keyword and a.keyword.value in _TURNS for a in call.args)


def _looks_at_history(function: Function, calls: list[cst.Call]) -> bool:
    """Whether anything but the text of what was sampled is used."""
    holders = {
        name
        for name, value in simple_assignments(function.node)
        if isinstance(value, cst.Await) and any(value.expression is call for call in calls)
    }
    return _uses_whole(function.node.body, holders)


def _uses_whole(node: cst.CSTNode, holders: set[str]) -> bool:
    if isinstance(node, cst.Attribute):
        if node.attr.value == "history":
            return True
        if isinstance(node.value, cst.Name) and node.value.value in holders:
            return node.attr.value not in _PLAIN
        return _uses_whole(node.value, holders)
    if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Name):
        return False
    if isinstance(node, cst.Name):
        return node.value in holders
    return any(_uses_whole(child, holders) for child in children_of(node))


def _calls(node: cst.CSTNode) -> list[cst.Call]:
    """The calls of a function, without those of functions inside it."""
    found = [node] if isinstance(node, cst.Call) else []
    for child in children_of(node):
        if not isinstance(child, (cst.FunctionDef, cst.ClassDef)):
            found += _calls(child)
    return found
