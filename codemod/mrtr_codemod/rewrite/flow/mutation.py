"""Which locals have their content changed in place, and which may share an object with something else.

A value that comes back from the state is a copy. That is only right while nobody else holds the original.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ..facts import Facts, FunctionNode
from .scope import names_in, parameters

MUTATING = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "update",
        "add",
        "discard",
        "setdefault",
        "popitem",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
        "appendleft",
        "popleft",
        "__setitem__",
        "write",
        "put",
        "send",
    ]
)

IN_PLACE = frozenset(
    [
        "bisect.insort",
        "bisect.insort_left",
        "bisect.insort_right",
        "heapq.heapify",
        "heapq.heappop",
        "heapq.heappush",
        "heapq.heappushpop",
        "heapq.heapreplace",
        "random.shuffle",
    ]
)
"""Functions of the standard library that change their first argument."""


@dataclass
class Mutation:
    """In-place changes in one function, looking into the functions of the module that it calls."""

    facts: Facts
    _busy: set[tuple[str, str, str]] = field(default_factory=set)

    def mutated(self, nodes: list[ast.stmt]) -> frozenset[str]:
        """Names whose object the statements change, or bind anew."""
        inside = [node for stmt in nodes for node in ast.walk(stmt)]
        found: set[str] = set()
        for node in inside:
            found |= self._changed_by(node)
        return frozenset(_with_aliases(found, inside))

    def _changed_by(self, node: ast.AST) -> AbstractSet[str]:
        match node:
            case ast.Attribute(value=owner, attr=name, ctx=ast.Load()) if name in MUTATING:
                return reached(owner)  # called here, or wherever the method goes
            case ast.Call(func=func, args=[changed, *_]) if self.facts.origin(func) in IN_PLACE:
                return reached(changed)
            case ast.Call():
                return self._by_arguments(node)
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                return reached(node)
            case ast.AugAssign(target=ast.Name(id=name)):
                return {name}
        return set()

    def _by_arguments(self, call: ast.Call) -> set[str]:
        """Arguments that a function of the project changes. Of others we assume that they don't."""
        called = self._called(call)
        if called is None:
            return set()
        home, function = called
        names = [a.arg for a in parameters(function)]
        if isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
            names = names[1:]
        given = list(zip(names, call.args, strict=False))
        given += [(k.arg, k.value) for k in call.keywords if k.arg]
        return {
            found
            for name, value in given
            if (aliases := reached(value)) and Mutation(home, self._busy)._changes_parameter(function, name)
            for found in aliases
        }

    def _called(self, call: ast.Call) -> tuple[Facts, FunctionNode] | None:
        """The function that is called, and the facts of its file."""
        if isinstance(call.func, ast.Name) and call.func.id in self.facts.functions:
            return self.facts, self.facts.functions[call.func.id]
        if isinstance(call.func, ast.Attribute) and root(call.func.value) in ("self", "cls"):
            found = [f for n, f in self.facts.functions.items() if n.endswith(f".{call.func.attr}")]
            return (self.facts, found[0]) if len(found) == 1 else None
        origin = self.facts.origin(call.func)
        elsewhere = self.facts.find(origin) if origin is not None else None
        if elsewhere is None or elsewhere[1] not in elsewhere[0].functions:
            return None
        return elsewhere[0], elsewhere[0].functions[elsewhere[1]]

    def _changes_parameter(self, function: FunctionNode, name: str) -> bool:
        key = (self.facts.dotted, function.name, name)
        if key in self._busy:
            return False
        self._busy.add(key)
        try:
            return name in self.mutated(function.body)
        finally:
            self._busy.discard(key)


def root(expr: ast.expr) -> str | None:
    """The name that an attribute or subscript chain starts at."""
    while isinstance(expr, (ast.Attribute, ast.Subscript)):
        expr = expr.value
    return expr.id if isinstance(expr, ast.Name) else None


def reached(expr: ast.expr) -> frozenset[str]:
    """The names whose objects an expression may give, or a part of one: `(kept if ok else failed)` gives two."""
    match expr:
        case ast.Name(id=name):
            return frozenset([name])
        case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
            return reached(inner)
        case ast.Call(func=ast.Attribute(value=owner)):
            return reached(owner)
        case ast.NamedExpr(target=target, value=value):
            return reached(target) | reached(value)
        case ast.IfExp(body=body, orelse=orelse):
            return reached(body) | reached(orelse)
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return frozenset[str]().union(*map(reached, parts))
    return frozenset()


def _with_aliases(changed: set[str], nodes: list[ast.AST]) -> set[str]:
    """The names, and those whose objects they were bound to."""
    bound: dict[str, set[str]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target=target, value=value)
            ):
                targets = [target]
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                targets = [target]
            case _:
                continue
        for name in names_in(*targets).binds:
            bound.setdefault(name, set()).update(reached(value))
    found, new = set(changed), set(changed)
    while new:
        new = {source for name in new for source in bound.get(name, ())} - found
        found |= new
    return found


def bindings_of(function: FunctionNode, name: str) -> list[ast.expr | None]:
    """The values that are bound to a local; None for one that is no plain assignment."""
    found: list[ast.expr | None] = []
    for stmt in function.body:
        for node in ast.walk(stmt):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        if isinstance(target, ast.Name) and target.id == name:
                            found.append(node.value)
                        elif isinstance(target, (ast.Tuple, ast.List)) and name in names_in(target).binds:
                            found.append(_element(target, node.value, name))
                case ast.AnnAssign(target=ast.Name(id=id)) if id == name and node.value is not None:
                    found.append(node.value)
                case ast.NamedExpr(target=ast.Name(id=id)) if id == name:
                    found.append(node.value)
                case ast.For() | ast.AsyncFor() if name in names_in(node.target).binds:
                    found.append(None)
                case ast.withitem(optional_vars=ast.expr() as target) if name in names_in(target).binds:
                    found.append(None)
                case ast.MatchAs(name=id) | ast.MatchStar(name=id) | ast.MatchMapping(rest=id) if id == name:
                    found.append(None)
                case ast.ExceptHandler(name=id) if id == name:
                    found.append(None)
    return found


def _element(target: ast.Tuple | ast.List, value: ast.expr, name: str) -> ast.expr | None:
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
        for one, bound in zip(target.elts, value.elts, strict=True):
            if isinstance(one, ast.Name) and one.id == name:
                return bound
    return None


def is_fresh(expr: ast.expr | None, is_constructor: Callable[[str], bool]) -> bool:
    """An object that nobody else can hold yet."""
    match expr:
        case (
            ast.List()
            | ast.Dict()
            | ast.Set()
            | ast.ListComp()
            | ast.DictComp()
            | ast.SetComp()
            | ast.Constant()
        ):
            return True
        case ast.JoinedStr() | ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.Tuple():
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return is_fresh(body, is_constructor) and is_fresh(orelse, is_constructor)
        case ast.BoolOp(values=values):
            return all(is_fresh(v, is_constructor) for v in values)
        case ast.Call(func=ast.Name(id=name)):
            return name in (
                "list",
                "dict",
                "set",
                "sorted",
                "tuple",
                "str",
                "int",
                "float",
            ) or is_constructor(name)
        case ast.Call(func=ast.Attribute(attr="copy" | "split" | "splitlines" | "model_copy" | "deepcopy")):
            return True
    return False


def escapes(function: FunctionNode, name: str) -> bool:
    """Whether the function stores the object of a local somewhere else, so that others see later changes of it."""
    for stmt in function.body:
        for node in ast.walk(stmt):
            match node:
                case ast.Assign(value=ast.Name(id=id)) if id == name:
                    return True
                case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in MUTATING:
                    if (
                        any(isinstance(a, ast.Name) and a.id == name for a in node.args)
                        and root(owner) != name
                    ):
                        return True
                case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts) if isinstance(
                    node.ctx if hasattr(node, "ctx") else ast.Load(), ast.Load
                ):
                    if any(isinstance(e, ast.Name) and e.id == name for e in elts):
                        return True
                case ast.Dict(values=values):
                    if any(isinstance(v, ast.Name) and v.id == name for v in values):
                        return True
    return False
