"""The SDK type of an expression: from imports and annotations, never from a bare name."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..facts import Facts, parse_annotation
from .classes import FUNCTIONS, MEMBERS, class_of
from .kinds import NOTHING, Kind, elements, inside, joined, parsed
from .models import MODELS

_CONTAINERS = {
    "list", "List", "Sequence", "Iterable", "Iterator", "set", "Set", "AsyncIterator", "AsyncGenerator", "Generator",
}  # fmt: skip
_MAPPINGS = {"dict", "Dict", "Mapping", "defaultdict", "MutableMapping"}


@dataclass
class Receivers:
    """The kinds of the expressions of one module that have been read."""

    facts: Facts
    attributes: dict[str, dict[str, Kind]] = field(default_factory=dict)
    """Of each class of the module, what its instances' attributes hold."""
    _found: dict[int, Kind] = field(default_factory=dict)

    def of(self, expr: ast.expr) -> Kind:
        return self._found.get(id(expr), NOTHING)

    def read(self, expr: ast.expr, env: dict[str, Kind]) -> Kind:
        """Note the kinds of an expression and of all below it."""
        kind = self._read(expr, env)
        self._found[id(expr)] = kind
        return kind

    def _read(self, expr: ast.expr, env: dict[str, Kind]) -> Kind:
        match expr:
            case ast.Lambda():
                inner = {**env, **{a.arg: NOTHING for a in ast.walk(expr.args) if isinstance(a, ast.arg)}}
                self.read(expr.body, inner)
                return NOTHING
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(expr, dict(env))
            case ast.Name(id=name):
                return env.get(name, NOTHING)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                env[name] = self.read(value, env)
                return env[name]
            case ast.IfExp():
                self.read(expr.test, env)
                return self._either([expr.body, expr.orelse], env)
            case ast.BoolOp():
                return self._bool_op(expr, env)
            case _:
                kinds = {id(c): self.read(c, env) for c in children(expr)}
                return self._of_parts(expr, kinds)

    def _of_parts(self, expr: ast.expr, kinds: dict[int, Kind]) -> Kind:
        match expr:
            case ast.Await(value=value):
                return kinds[id(value)]
            case ast.Attribute(value=value, attr=attr):
                return self.attribute(kinds[id(value)], attr)
            case ast.Call():
                return self._call(expr, kinds)
            case ast.Subscript(value=value, slice=index):
                owner = kinds[id(value)]
                return owner if isinstance(index, ast.Slice) else elements(owner) or elements(owner, "dict")
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts) if elts:
                return inside("list", joined([kinds[id(e)] for e in elts]))
            case ast.Dict(values=values) if values:
                return inside("dict", joined([kinds[id(v)] for v in values]))
        return NOTHING

    def _either(self, options: list[ast.expr], env: dict[str, Kind]) -> Kind:
        return joined([self.read(o, env) for o in options if not is_none(o)])

    def _bool_op(self, expr: ast.BoolOp, env: dict[str, Kind]) -> Kind:
        inner = env
        kinds = []
        for value in expr.values:
            kinds.append(self.read(value, inner))
            if isinstance(expr.op, ast.And):
                inner = {**inner, **self._narrowed(value)}
        if isinstance(expr.op, ast.And):
            return kinds[-1]
        # `x or []` keeps the elements of x.
        empty = (ast.List, ast.Dict, ast.Constant)
        return joined([k for k, v in zip(kinds, expr.values, strict=True) if k or not isinstance(v, empty)])

    def attribute(self, owner: Kind, name: str) -> Kind:
        """What the attribute of a value of this kind holds, or its method gives."""
        return joined([self._member(part, name) for part in owner if not self._lacks(part, name)])

    def _member(self, owner: str, name: str) -> Kind:
        if owner.startswith("class:"):
            return self.attributes.get(owner, {}).get(name, NOTHING)
        if owner.startswith("dict[") and name == "values":
            return inside("list", elements(frozenset([owner]), "dict"))
        if owner.startswith("dict[") and name in ("get", "pop"):
            return elements(frozenset([owner]), "dict")
        if owner.startswith("list[") and name in ("pop", "copy"):
            return elements(frozenset([owner])) if name == "pop" else frozenset([owner])
        return parsed(MEMBERS.get(owner, MODELS.get(owner, {})).get(name, ""))

    def _lacks(self, owner: str, name: str) -> bool:
        """Whether a type of a union has no such attribute, so that the value must be of another."""
        return owner in MODELS and name not in MODELS[owner] and name in _ALL_FIELDS

    def _call(self, call: ast.Call, kinds: dict[int, Kind]) -> Kind:
        func = call.func
        origin = self.facts.origin(func)
        if origin is not None:
            known = FUNCTIONS.get(origin) or class_of(origin)
            return frozenset([known]) if known else NOTHING
        if isinstance(func, ast.Attribute) and func.attr in (
            "model_validate",
            "model_copy",
            "model_construct",
        ):
            built = class_of(self.facts.origin(func.value))
            return frozenset([built]) if built else self.of(func.value)
        if isinstance(func, ast.Name):
            return self._named_call(func.id, call, kinds)
        return kinds[id(func)]

    def _named_call(self, name: str, call: ast.Call, kinds: dict[int, Kind]) -> Kind:
        if name in self.facts.classes:
            return frozenset([f"class:{name}"])
        if name in self.facts.functions:
            return self.annotated(self.facts.functions[name].returns)
        if name in ("list", "sorted", "reversed", "tuple", "set", "next", "iter") and call.args:
            source = kinds.get(id(call.args[0]), NOTHING)
            return elements(source) if name == "next" else source
        return NOTHING

    def _comprehension(
        self, expr: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, env: dict[str, Kind]
    ) -> Kind:
        for part in expr.generators:
            self.bind(part.target, self._iterated(part.iter, self.read(part.iter, env)), env)
            for test in part.ifs:
                self.read(test, env)
                env.update(self._narrowed(test))
        if isinstance(expr, ast.DictComp):
            self.read(expr.key, env)
            return inside("dict", self.read(expr.value, env))
        return inside("list", self.read(expr.elt, env))

    def _iterated(self, iterable: ast.expr, kind: Kind) -> Kind:
        called = iterable.func if isinstance(iterable, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == "enumerate" and isinstance(iterable, ast.Call):
            return inside("pair", elements(self.of(iterable.args[0]))) if iterable.args else NOTHING
        if isinstance(called, ast.Attribute) and called.attr == "items":
            return inside("pair", elements(self.of(called.value), "dict"))
        return elements(kind)

    def annotated(self, annotation: ast.expr | None) -> Kind:
        """The kind that an annotation names; None in it is left out."""
        if annotation is None:
            return NOTHING
        expr = parse_annotation(annotation)
        match expr:
            case ast.BinOp(op=ast.BitOr()):
                return joined([self.annotated(e) for e in (expr.left, expr.right) if not is_none(e)])
            case ast.Subscript(value=base, slice=index):
                return self._subscripted(base, index)
            case ast.Name(id=name) if name in self.facts.classes:
                return frozenset([f"class:{name}"])
        known = class_of(self.facts.origin(expr))
        return frozenset([known]) if known else NOTHING

    def _subscripted(self, base: ast.expr, index: ast.expr) -> Kind:
        args = index.elts if isinstance(index, ast.Tuple) else [index]
        tail = (self.facts.origin(base) or ast.unparse(base)).rpartition(".")[2]
        if tail in ("Optional", "Annotated", "Final", "ClassVar", "Awaitable"):
            return self.annotated(args[0])
        if tail == "Union":
            return joined([self.annotated(a) for a in args if not is_none(a)])
        if tail in _CONTAINERS or (tail in ("tuple", "Tuple") and len(args) == 2):
            return inside("list", self.annotated(args[0]))
        if tail in _MAPPINGS and len(args) == 2:
            return inside("dict", self.annotated(args[1]))
        return self.annotated(base)

    def _narrowed(self, test: ast.expr) -> dict[str, Kind]:
        """What a condition that holds says of names: `isinstance(x, TextContent)`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return {n: k for value in test.values for n, k in self._narrowed(value).items()}
        match test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes]):
                given = classes.elts if isinstance(classes, ast.Tuple) else [classes]
                kind = joined([self.annotated(c) for c in given])
                return {name: kind} if kind else {}
        return {}

    def bind(self, target: ast.expr, kind: Kind, env: dict[str, Kind], *, cleared: bool = False) -> None:
        """Bind a target. `cleared`: to None, which says nothing about what an attribute holds at other times."""
        match target:
            case ast.Name(id=name):
                env[name] = kind
            case ast.Attribute(value=value, attr=attr):
                for owner in self.of(value):
                    if owner.startswith("class:") and not cleared:
                        self._hold(owner, attr, kind)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                pair = elements(kind, "pair")
                for index, element in enumerate(elts):
                    inner = pair if index == 1 else NOTHING
                    self.bind(element.value if isinstance(element, ast.Starred) else element, inner, env)

    def _hold(self, owner: str, attr: str, kind: Kind) -> None:
        held = self.attributes.setdefault(owner, {})
        held[attr] = joined([held[attr], kind]) if attr in held else kind


_ALL_FIELDS = frozenset(name for fields in MODELS.values() for name in fields)


def children(node: ast.AST) -> list[ast.expr]:
    """The expressions right below a node; those inside of statements are none."""
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, ast.stmt):
            found += children(child)
    return found


def is_none(expr: ast.expr | None) -> bool:
    """Whether it is the constant None."""
    return isinstance(expr, ast.Constant) and expr.value is None
