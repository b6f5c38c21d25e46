"""The calls that stand in one scope, as plain data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mrtr_codemod.names.outline import ScopeNode
from mrtr_codemod.names.reference import CALL, Ref, lower
from mrtr_codemod.nodes import children

Key = tuple[int, int, int, int]
"""Where a node stands: line, column, end line and end column as `ast` counts them (columns in UTF-8
bytes)."""
COMPUTED = ".?"
"""The last step of a path whose name is worked out at run time."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class RawCall(NamedTuple):
    """A call, or a `raise` of a class or object; not yet evaluated."""

    key: Key
    function: Ref | None
    arguments: tuple[Ref | None, ...]
    keywords: tuple[tuple[str | None, Ref | None], ...]
    names: frozenset[str]
    """All names that its function and its arguments end in."""
    constructs: tuple[Ref, ...]
    """What is called inside its arguments."""
    raised: bool = False
    dynamic: bool = False
    """`getattr(x, name)` is called; the function is then an attribute `COMPUTED` of `x` if the name is no literal."""
    text: str | None = None
    """Its first argument, if that is a literal text."""


def key_of(node: ast.AST) -> Key:
    """The place of a node."""
    return (
        node.lineno,  # type: ignore[attr-defined]
        node.col_offset,  # type: ignore[attr-defined]
        node.end_lineno or 0,  # type: ignore[attr-defined]
        node.end_col_offset or 0,  # type: ignore[attr-defined]
    )


def own_nodes(scope: ScopeNode) -> Iterator[ast.AST]:
    """All nodes of a scope in source order; of nested functions and classes only what runs at their
    definition."""
    stack: list[ast.AST] = list(reversed(scope.body))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _DEFINITIONS):
            stack.extend(reversed(list(at_definition(node))))
        else:
            below = children(node)
            below.reverse()
            stack += below


def at_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.expr]:
    """What runs when a function or class is defined: decorators, bases and defaults."""
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from node.bases
        return
    yield from node.args.defaults
    yield from (default for default in node.args.kw_defaults if default is not None)


def raw_calls(scope: ScopeNode) -> list[RawCall]:
    """The calls of a scope in source order."""
    found: list[RawCall] = []
    for node in own_nodes(scope):
        if isinstance(node, ast.Call):
            found.append(_raw(node))
        elif isinstance(node, ast.Assign):
            found.extend(_stored(node))
        elif isinstance(node, ast.Raise) and node.exc is not None:
            ref = lower(node.exc)
            if ref is not None:
                plain = ref[:-1] if ref[-1] == CALL else ref
                found.append(RawCall(key_of(node), plain, (), (), _names(plain), (), raised=True))
    return found


def _raw(node: ast.Call) -> RawCall:
    arguments = tuple(lower(argument) for argument in node.args)
    keywords = tuple(_keywords(node))
    dynamic = _dynamic(node)
    function = lower(node.func)
    if dynamic == "" and isinstance(node.func, ast.Call):
        receiver = lower(node.func.args[0])
        function = (*receiver, COMPUTED) if receiver else None
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    refs = [function, *arguments, *(ref for _, ref in keywords), *_listed(node.args)]
    names = frozenset().union(*(_names(ref) for ref in refs if ref))
    first = node.args[0] if node.args else None
    text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
    return RawCall(
        key_of(node),
        function,
        arguments,
        keywords,
        names,
        tuple(_constructed(values)),
        dynamic=dynamic is not None,
        text=text,
    )


def _keywords(node: ast.Call) -> Iterator[tuple[str | None, Ref | None]]:
    """The keyword arguments; of a list, one for each element: `FastMCP(tools=[a, b])`."""
    for keyword in node.keywords:
        listed = list(_listed([keyword.value]))
        if listed:
            yield from ((keyword.arg, ref) for ref in listed)
        else:
            yield keyword.arg, lower(keyword.value)


def _stored(node: ast.Assign) -> Iterator[RawCall]:
    """`server.request_handlers[CallToolRequest] = handler`, as the call that it amounts to."""
    value = lower(node.value)
    for target in node.targets:
        if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Attribute)):
            continue
        container, key = lower(target.value), lower(target.slice)
        if container is not None and key is not None and value is not None:
            function = (*container, ".__setitem__")
            yield RawCall(key_of(node), function, (key, value), (), _names(key) | _names(value), ())


def _names(ref: Ref) -> frozenset[str]:
    """The root of a path and the last attribute in it."""
    last = next((step for step in reversed(ref) if step[0] == "."), ref[0])
    return frozenset((ref[0], last.lstrip(".")))


def _listed(values: list[ast.expr]) -> Iterator[Ref]:
    """What stands in lists among some arguments."""
    for value in values:
        for element in value.elts if isinstance(value, (ast.List, ast.Tuple)) else ():
            ref = lower(element)
            if ref:
                yield ref


def _constructed(values: list[ast.expr]) -> Iterator[Ref]:
    for value in values:
        if isinstance(value, ast.Call):
            ref = lower(value.func)
            if ref:
                yield ref
            yield from _constructed([*value.args, *(keyword.value for keyword in value.keywords)])


def _dynamic(node: ast.Call) -> str | None:
    """The name in `getattr(x, name)(…)`, `` if it is no literal; None for any other call."""
    function = node.func
    if not (isinstance(function, ast.Call) and isinstance(function.func, ast.Name)):
        return None
    if function.func.id != "getattr" or len(function.args) < 2:
        return None
    name = function.args[1]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""
