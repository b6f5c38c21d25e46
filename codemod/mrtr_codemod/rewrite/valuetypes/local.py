"""The types of a function's locals: the join of everything that is ever bound to each."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..facts import Facts, FunctionNode
from ..flow.scope import function_locals, names_in, parameters, walk_scope
from .infer import Inference
from .joining import bind_target, join
from .model import Type, from_annotation, unchecked

_UNKNOWN = Type("!")


def local_types(
    function: FunctionNode, facts: Facts, given: Mapping[str, Type], class_name: str | None = None
) -> dict[str, Type]:
    """Types of the locals of `function`, as far as they can be told. `given` are known from elsewhere (answers)."""
    types: dict[str, Type] = {**_parameter_types(function, facts), **given}
    declared = {**_declared(function, facts)}
    own = function_locals(function)
    for _ in range(4):  # chains of assignments settle in as many passes as they are long
        known = {**types, **declared}
        found = _one_pass(function, Inference(facts, known, class_name), known, own)
        merged = {**types, **declared}
        merged |= {n: t for n, t in found.items() if n not in declared and n not in given}
        if merged == types:
            break
        types = merged
    return {name: t for name, t in types.items() if t != _UNKNOWN and "!" not in _names(t)}


def _names(found: Type) -> set[str]:
    return {found.name}.union(*(_names(a) for a in found.args))


def _parameter_types(function: FunctionNode, facts: Facts) -> dict[str, Type]:
    types = {arg.arg: from_annotation(arg.annotation, facts) for arg in parameters(function)}
    return {name: unchecked(found) for name, found in types.items() if found is not None}


def _declared(function: FunctionNode, facts: Facts) -> dict[str, Type]:
    found: dict[str, Type] = {}
    for stmt in function.body:
        for node in walk_scope(stmt):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                type_ = from_annotation(node.annotation, facts)
                if type_ is not None:
                    found[node.target.id] = unchecked(type_)
    return found


def _one_pass(
    function: FunctionNode, infer: Inference, known: dict[str, Type], own: set[str]
) -> dict[str, Type]:
    """What the bindings say, in the order of the source; `known` grows on the way, for the later ones to build on."""
    bound: dict[str, Type] = {}

    def note(target: ast.expr, found: Type | None) -> None:
        names = names_in(target).binds
        one: dict[str, Type] = {}
        bind_target(one, target, found)
        for name in names:
            new = one.get(name, _UNKNOWN)
            bound[name] = join(bound[name], new) if name in bound else new
            if name not in known and new != _UNKNOWN:
                known[name] = new

    parameter = _parameter_types(function, infer.facts)
    bound.update({name: t for name, t in parameter.items() if name in own})
    for stmt in function.body:
        for node in walk_scope(stmt):
            _bindings(node, infer, note, bound)
    return bound


def _bindings(node: ast.AST, infer: Inference, note, bound: dict[str, Type]) -> None:  # type: ignore[no-untyped-def]
    match node:
        case ast.Assign():
            for target in node.targets:
                if not isinstance(target, (ast.Attribute, ast.Subscript)):
                    if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                        note(target, infer(node.value))
                    else:
                        note(target, infer(node.value))
                elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    _grow_dict(target, node.value, infer, bound)
        case ast.AnnAssign(value=value, target=ast.Name()) if value is not None:
            declared = from_annotation(node.annotation, infer.facts)
            note(node.target, declared and unchecked(declared))
        case ast.AugAssign(target=ast.Name(id=name)):
            combined = infer(ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value))
            note(node.target, combined)
        case ast.NamedExpr():
            note(node.target, infer(node.value))
        case ast.For() | ast.AsyncFor():
            note(node.target, infer.iterated(node.iter))
        case ast.ExceptHandler(name=str(name)):
            bound[name] = _UNKNOWN
        case ast.withitem(optional_vars=ast.expr() as target):
            note(target, None)
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            for name in names_in(node).binds:
                bound[name] = _UNKNOWN
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            bound.setdefault(name, _UNKNOWN)
        case ast.Match():
            _captures(node, infer, bound)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append" | "add" | "insert")) if (
            node.args
        ):
            _grow_list(name, node, infer, bound)


def _grow_list(name: str, node: ast.Call, infer: Inference, bound: dict[str, Type]) -> None:
    """`found = []` followed by `found.append("x")` is a list of strings."""
    owner, element = bound.get(name), infer(node.args[-1])
    if owner is not None and owner.name in ("list", "set") and owner.args:
        bound[name] = join(owner, Type(owner.name, (element or _UNKNOWN,)))


def _grow_dict(target: ast.Subscript, value: ast.expr, infer: Inference, bound: dict[str, Type]) -> None:
    assert isinstance(target.value, ast.Name)
    owner = bound.get(target.value.id)
    if owner is not None and owner.name == "dict" and len(owner.args) == 2:
        key, element = infer(target.slice) or _UNKNOWN, infer(value) or _UNKNOWN
        bound[target.value.id] = join(owner, Type("dict", (key, element)))


def _captures(node: ast.Match, infer: Inference, bound: dict[str, Type]) -> None:
    subject = infer(node.subject)
    before = dict(bound)
    for case in node.cases:
        pattern = case.pattern
        if isinstance(pattern, ast.MatchAs) and pattern.name and pattern.pattern is None and subject:
            bound[pattern.name] = subject
        for part in ast.walk(pattern):
            if isinstance(part, ast.MatchClass) and subject is not None:
                _class_captures(part, subject, infer, bound)

    for name, found in bound.items():
        if name not in before and found != _UNKNOWN:
            infer.local.setdefault(name, found)  # type: ignore[attr-defined]


def _class_captures(part: ast.MatchClass, subject: Type, infer: Inference, bound: dict[str, Type]) -> None:
    declared = from_annotation(part.cls, infer.facts)
    owner = declared if declared is not None and infer.facts.declared(declared.name) else subject
    for name, inner in zip(part.kwd_attrs, part.kwd_patterns, strict=True):
        if isinstance(inner, ast.MatchAs) and inner.name and inner.pattern is None:
            probe = Inference(infer.facts, {"_": owner})
            found = probe(ast.Attribute(ast.Name("_", ast.Load()), name, ast.Load()))
            bound[inner.name] = found or _UNKNOWN
