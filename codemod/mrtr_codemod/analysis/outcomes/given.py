"""What a call tells of the parameters of the function that it calls: constants, passed or by default."""

from __future__ import annotations

import ast

from mrtr_codemod.analysis.outcomes.run import Given
from mrtr_codemod.analysis.outcomes.values import Const, Known
from mrtr_codemod.analysis.view import FunctionView


def given(call: ast.Call, callee: FunctionView) -> Given:
    """The parameters of `callee` that are constants in a call."""
    arguments = callee.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    found: dict[str, Known] = {}
    if not any(keyword.arg is None for keyword in call.keywords):
        known = [*zip(reversed(positional), reversed(arguments.defaults), strict=False)]
        known += [
            (p, d) for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None
        ]
        _note(found, [(parameter.arg, default) for parameter, default in known])
    names = [parameter.arg for parameter in positional if parameter.arg != callee.info.bound_first]
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        for name in names:
            found.pop(name, None)
    else:
        _note(found, list(zip(names, call.args, strict=False)))
    _note(found, [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None])
    return tuple(sorted(found.items(), key=lambda item: item[0]))


def _note(found: dict[str, Known], values: list[tuple[str, ast.expr]]) -> None:
    for name, value in values:
        if isinstance(value, ast.Constant):
            found[name] = Const(value.value)
        else:
            found.pop(name, None)
