"""`mcp.get_context()` in a handler is a parameter of it now, which the server fills."""

from __future__ import annotations

import ast
import re

from mrtr_codemod.analysis.decorating import uncalled

from ..facts import FunctionNode, identifiers
from ..flow.scope import parameters
from .file import File
from .receivers import is_none


def fix_given_contexts(file: File) -> None:
    """Hand each handler the context that it asked the server for; tell of the functions that nobody hands one."""
    found: dict[FunctionNode | None, list[ast.Call]] = {}
    for call in file.calls():
        if _gets_context(file, call):
            found.setdefault(file.function_around(call), []).append(call)
    for function, calls in found.items():
        name = _context_of(file, function, calls) if function is not None else None
        for call in calls:
            if function is not None and name is not None:
                _replace(file, function, call, name)
            else:
                told = "take `ctx: Context` as a parameter of the handler, and hand it on to where it is used"
                file.notes.add(call, f"`{ast.unparse(call)}` is gone: {told}")


def _gets_context(file: File, call: ast.Call) -> bool:
    func = call.func
    return (
        isinstance(func, ast.Attribute)
        and func.attr == "get_context"
        and file.kind(func.value) == {"MCPServer"}
    )


# ── the parameter ─────────────────────────────────────────────────────────────────────────────


def _context_of(file: File, function: FunctionNode, calls: list[ast.Call]) -> str | None:
    """The parameter that is the context in every call; a handler that has none gets one."""
    registered = _is_registered(file, function)
    given = _parameter(file, function)
    if given is not None:
        return given.arg if registered or not _may_be_none(function, given) else None
    return _add_parameter(file, function, calls) if registered else None


def _parameter(file: File, function: FunctionNode) -> ast.arg | None:
    args = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return next((arg for arg in args if "MCPContext" in file.receivers.annotated(arg.annotation)), None)


def _may_be_none(function: FunctionNode, given: ast.arg) -> bool:
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    defaults = dict(zip(reversed(positional), reversed(args.defaults), strict=False))
    defaults |= {a: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None}
    named = ast.unparse(given.annotation) if given.annotation is not None else ""
    return is_none(defaults.get(given)) or re.search(r"\b(None|Optional)\b", named) is not None


def _is_registered(file: File, function: FunctionNode) -> bool:
    """Whether one of its decorators is `@mcp.tool()` and the like, so that a context is put in by its type; and whether
    nothing but the server calls it."""
    if any(isinstance(n, ast.Name) and n.id == function.name for n in file.nodes):
        return False
    for decorator in function.decorator_list:
        called = uncalled(decorator)
        if isinstance(called, ast.Attribute) and called.attr in ("tool", "prompt", "resource"):
            return "MCPServer" in file.kind(called.value)
    return False


def _add_parameter(file: File, function: FunctionNode, calls: list[ast.Call]) -> str:
    args = function.args
    own = next((name for call in calls if (name := _only_local(file, function, call)) is not None), None)
    name = own or ("ctx" if "ctx" not in identifiers(function) else file.fresh("ctx"))
    written = f"{name}: {file.named('mcp.server.mcpserver.Context')}"
    last = [*args.posonlyargs, *args.args]
    if last:
        # Before the defaults, if there are some: a parameter without one can't follow.
        first_default = last[len(last) - len(args.defaults)] if args.defaults else None
        if first_default is not None:
            file.edits.insert(file.edits.start(first_default), f"{written}, ")
        else:
            file.edits.insert(file.edits.end(last[-1]), f", {written}")
    else:
        opened = file.edits.text.index("(", file.edits.start(function))
        file.edits.insert(
            opened + 1, written + (", " if args.kwonlyargs or args.vararg or args.kwarg else "")
        )
    return name


def _only_local(file: File, function: FunctionNode, value: ast.expr) -> str | None:
    """The local that a value is assigned to, if it is bound nowhere else and the parameter can take its place."""
    stmt = file.parents[value]
    target = _target(stmt)
    if target is None or stmt not in function.body:
        return None
    bound = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == target]
    bound = [n for n in bound if not isinstance(n.ctx, ast.Load)]
    elsewhere = {n for s in ast.walk(function) if isinstance(s, (ast.Global, ast.Nonlocal)) for n in s.names}
    return target if len(bound) == 1 and target not in elsewhere else None


def _target(stmt: ast.AST) -> str | None:
    match stmt:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None


# ── its uses ──────────────────────────────────────────────────────────────────────────────────


def _replace(file: File, function: FunctionNode, call: ast.Call, name: str) -> None:
    """Put the parameter in the place of the call, of the choice between the two, and of a local that is no more."""
    value: ast.expr = call
    while isinstance(parent := file.parents[value], ast.expr) and _chooses(parent, value, name):
        value = parent
    stmt = file.parents[value]
    if isinstance(stmt, (ast.Assign, ast.AnnAssign)) and _target(stmt) == name:
        _drop(file, stmt, name)
        return
    uses = _uses_of_alias(file, function, value, name)
    if uses is None or not isinstance(stmt, (ast.Assign, ast.AnnAssign)):
        file.edits.rewrite(value, name)
        return
    for use in uses:
        file.edits.rewrite(use, name)
    _drop(file, stmt, name)


def _uses_of_alias(file: File, function: FunctionNode, value: ast.expr, name: str) -> list[ast.Name] | None:
    """Where the local is used that `value` is assigned to; None if the parameter can't stand there for it."""
    local = _only_local(file, function, value)
    nodes = list(ast.walk(function))
    rebound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    within = [n for n in nodes if n is not function and isinstance(n, (FunctionNode, ast.Lambda))]
    inner = {arg.arg for n in within for arg in parameters(n)}
    # Before Python 3.12 nobody knows where in its text an f-string uses a name.
    texts = {n for text in nodes if isinstance(text, ast.JoinedStr) for n in ast.walk(text)}
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == local and isinstance(n.ctx, ast.Load)]
    if local is None or name in rebound or {local, name} & inner or texts & set(uses):
        return None
    return uses


def _chooses(expr: ast.expr, fallback: ast.expr, name: str) -> bool:
    """Whether an expression is the parameter, or the fallback where there is none."""
    match expr:
        case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=first), last]):
            return first == name and last is fallback
        case ast.IfExp(test=test, body=ast.Name(id=kept), orelse=other) if other is fallback:
            return kept == name and _tells(test, name, missing=False)
        case ast.IfExp(test=test, body=other, orelse=ast.Name(id=kept)) if other is fallback:
            return kept == name and _tells(test, name, missing=True)
    return False


def _tells(test: ast.expr, name: str, *, missing: bool) -> bool:
    """Whether a test is true if the parameter is missing, or if it is there."""
    match test:
        case ast.Name(id=tested):
            return tested == name and not missing
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=tested)):
            return tested == name and missing
        case ast.Compare(left=ast.Name(id=tested), ops=[ast.Is() | ast.IsNot() as op], comparators=[other]):
            return tested == name and is_none(other) and missing == isinstance(op, ast.Is)
    return False


def _drop(file: File, stmt: ast.stmt, name: str) -> None:
    """Take out a statement that would assign the parameter to itself, and the `if` that is around it alone."""
    edits = file.edits
    around = file.parents[stmt]
    if isinstance(around, ast.If) and around.body == [stmt] and not around.orelse:
        is_elif = edits.text.startswith("elif", edits.start(around))
        if _tells(around.test, name, missing=True) and not is_elif:
            return _drop(file, around, name)
    first, last = edits.lines(stmt)
    beside = edits.text[first : edits.start(stmt)] + edits.text[edits.end(stmt) : last].partition("#")[0]
    blocks = (getattr(around, part, None) for part in ("body", "orelse", "finalbody"))
    if beside.strip() or [stmt] in blocks:
        edits.rewrite(stmt, "pass")
    else:
        edits.replace(first, last, "")
    return None
