"""The SDK type of an expression, followed through one module: from imports and annotations, never from a bare name.

A kind is a set of type names, one for each type that the value may have: `Tool`, `list[Tool]`, `dict[Tool]`, or
`class:Name` for a class of the module. A value that may be anything else has no kind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..facts import Facts, FunctionNode, parse_annotation
from .classes import FUNCTIONS, MEMBERS, class_of
from .models import MODELS

Kind = frozenset[str]
NOTHING: Kind = frozenset()
_CONTAINERS = {
    "list", "List", "Sequence", "Iterable", "Iterator", "set", "Set", "AsyncIterator", "AsyncGenerator", "Generator",
}  # fmt: skip
_MAPPINGS = {"dict", "Dict", "Mapping", "defaultdict", "MutableMapping"}


def parsed(text: str) -> Kind:
    """The kind that a table writes as `A|B` or `list[A]`."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(f"{text}|"):
        depth += (char == "[") - (char == "]")
        if char == "|" and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return frozenset(part for part in parts if part)


def elements(kind: Kind, container: str = "list") -> Kind:
    """What is in the containers of a kind."""
    found = [parsed(k[len(container) + 1 : -1]) for k in kind if k.startswith(f"{container}[")]
    return frozenset().union(*found) if len(found) == len(kind) else NOTHING


def inside(container: str, kind: Kind) -> Kind:
    return frozenset([f"{container}[{'|'.join(sorted(kind))}]"]) if kind else NOTHING


@dataclass
class Receivers:
    """The kinds of the expressions of one module. Ask `of` once `receivers` has read it."""

    facts: Facts
    attributes: dict[str, dict[str, Kind]] = field(default_factory=dict)
    """Of each class of the module, what its instances' attributes hold."""
    _found: dict[int, Kind] = field(default_factory=dict)

    def of(self, expr: ast.expr) -> Kind:
        return self._found.get(id(expr), NOTHING)

    # ── expressions ───────────────────────────────────────────────────────────────────────────

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
                kinds = {id(c): self.read(c, env) for c in _children(expr)}
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
                return inside("list", _joined([kinds[id(e)] for e in elts]))
            case ast.Dict(values=values) if values:
                return inside("dict", _joined([kinds[id(v)] for v in values]))
        return NOTHING

    def _either(self, options: list[ast.expr], env: dict[str, Kind]) -> Kind:
        return _joined([self.read(o, env) for o in options if not _is_none(o)])

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
        return _joined([k for k, v in zip(kinds, expr.values, strict=True) if k or not isinstance(v, empty)])

    def attribute(self, owner: Kind, name: str) -> Kind:
        """What the attribute of a value of this kind holds, or its method gives."""
        return _joined([self._member(part, name) for part in owner if not self._lacks(part, name)])

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
                return _joined([self.annotated(e) for e in (expr.left, expr.right) if not _is_none(e)])
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
            return _joined([self.annotated(a) for a in args if not _is_none(a)])
        if tail in _CONTAINERS or (tail in ("tuple", "Tuple") and len(args) == 2):
            return inside("list", self.annotated(args[0]))
        if tail in _MAPPINGS and len(args) == 2:
            return inside("dict", self.annotated(args[1]))
        return self.annotated(base)

    # ── statements ────────────────────────────────────────────────────────────────────────────

    def block(self, body: Sequence[ast.stmt], env: dict[str, Kind]) -> None:
        for stmt in body:
            self.statement(stmt, env)

    def statement(self, stmt: ast.stmt, env: dict[str, Kind]) -> None:
        match stmt:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(stmt, env, None)
            case ast.ClassDef():
                self._class(stmt, env)
            case ast.Assign(targets=targets, value=value):
                kind = self.read(value, env)
                for target in targets:
                    self.read(target, env)
                    self.bind(target, kind, env, cleared=_is_none(value))
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                if value is not None:
                    self.read(value, env)
                self.read(target, env)
                self.bind(target, self.annotated(annotation), env)
            case ast.If(test=test, body=body, orelse=orelse):
                self.read(test, env)
                self._branches([(body, self._narrowed(test)), (orelse, {})], env)
            case ast.For() | ast.AsyncFor():
                kind = self._iterated(stmt.iter, self.read(stmt.iter, env))
                self.bind(stmt.target, kind, env)
                self._branches([(stmt.body, {}), ([], {})], env)
                self.block(stmt.orelse, env)
            case ast.While(test=test, body=body, orelse=orelse):
                self.read(test, env)
                self._branches([(body, self._narrowed(test)), ([], {})], env)
                self.block(orelse, env)
            case ast.With() | ast.AsyncWith():
                for item in stmt.items:
                    kind = self.read(item.context_expr, env)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, kind, env)
                self.block(stmt.body, env)
            case ast.Try():
                self._try(stmt, env)
            case ast.Match(subject=subject, cases=cases):
                self._match(subject, cases, env)
            case _:
                for child in _children(stmt):
                    self.read(child, env)

    def function(self, node: FunctionNode, env: dict[str, Kind], owner: str | None) -> None:
        """Read a function; `owner` is the class of its `self`."""
        for outside in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.read(outside, env)
        inner = dict(env)
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for arg in given:
            inner[arg.arg] = self.annotated(arg.annotation)
        for extra in (node.args.vararg, node.args.kwarg):
            if extra is not None:
                inner[extra.arg] = NOTHING
        if owner is not None and given:
            inner[given[0].arg] = frozenset([owner])
        self.block(node.body, inner)
        env[node.name] = NOTHING

    def _class(self, node: ast.ClassDef, env: dict[str, Kind]) -> None:
        name = f"class:{node.name}"
        known = self.attributes.setdefault(name, {})
        for base in node.bases:
            kind = class_of(self.facts.origin(base)) or (
                f"class:{base.id}" if isinstance(base, ast.Name) else None
            )
            inherited = self.attributes if kind and kind.startswith("class:") else {}
            known.update(inherited.get(kind or "", {}))
            for member, text in (MEMBERS.get(kind or "") or MODELS.get(kind or "", {})).items():
                known.setdefault(member, parsed(text))
        for stmt in node.body:
            if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
                self._hold(name, stmt.target.id, self.annotated(stmt.annotation))
        inner = dict(env)
        for stmt in node.body:
            if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)):
                known[stmt.name] = self.annotated(stmt.returns)
                self.function(stmt, dict(inner), name)
            else:
                self.statement(stmt, inner)
        env[node.name] = NOTHING

    def _try(self, stmt: ast.Try, env: dict[str, Kind]) -> None:
        before = dict(env)
        self.block(stmt.body, env)
        self.block(stmt.orelse, env)
        ends = [env]
        for handler in stmt.handlers:
            caught = _join_environments([before, env])
            if handler.type is not None:
                self.read(handler.type, caught)
            if handler.name:
                caught[handler.name] = NOTHING
            self.block(handler.body, caught)
            if not _leaves(handler.body):
                ends.append(caught)
        joined = _join_environments(ends)
        env.clear()
        env.update(joined)
        self.block(stmt.finalbody, env)

    def _match(self, subject: ast.expr, cases: list[ast.match_case], env: dict[str, Kind]) -> None:
        self.read(subject, env)
        branches = []
        for case in cases:
            bound = {
                n.name: NOTHING
                for n in ast.walk(case.pattern)
                if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name
            }
            if isinstance(case.pattern, ast.MatchClass) and isinstance(subject, ast.Name):
                kind = class_of(self.facts.origin(case.pattern.cls))
                bound |= {subject.id: frozenset([kind])} if kind else {}
            if case.guard is not None:
                self.read(case.guard, {**env, **bound})
            branches.append((case.body, bound))
        self._branches([*branches, ([], {})], env)

    def _branches(self, branches: list[tuple[list[ast.stmt], dict[str, Kind]]], env: dict[str, Kind]) -> None:
        ends = []
        for body, more in branches:
            inner = {**env, **more}
            self.block(body, inner)
            for name in more:
                if inner.get(name) == more[name] and name in env:
                    inner[name] = env[name]
            if not _leaves(body):
                ends.append(inner)
        joined = _join_environments(ends) if ends else dict(env)
        env.clear()
        env.update(joined)

    def _narrowed(self, test: ast.expr) -> dict[str, Kind]:
        """What a condition that holds says of names: `isinstance(x, TextContent)`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return {n: k for value in test.values for n, k in self._narrowed(value).items()}
        match test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes]):
                given = classes.elts if isinstance(classes, ast.Tuple) else [classes]
                kind = _joined([self.annotated(c) for c in given])
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
        held[attr] = _joined([held[attr], kind]) if attr in held else kind


_ALL_FIELDS = frozenset(name for fields in MODELS.values() for name in fields)


def receivers(tree: ast.Module, facts: Facts) -> Receivers:
    """The kinds of a module's expressions. Read twice: methods may use what later ones put into attributes."""
    first = Receivers(facts)
    first.block(tree.body, {})
    second = Receivers(facts, first.attributes)
    names: dict[str, Kind] = {}
    Receivers(facts, first.attributes).block(tree.body, names)
    second.block(tree.body, {n: k for n, k in names.items() if k})
    return second


def _joined(kinds: Iterable[Kind]) -> Kind:
    """One kind for values of any of these; nothing if one of them is not known."""
    found = list(kinds)
    return frozenset().union(*found) if all(found) else NOTHING


def _join_environments(ends: list[dict[str, Kind]]) -> dict[str, Kind]:
    names = dict.fromkeys(name for end in ends for name in end)
    return {name: _joined([end[name] for end in ends if name in end]) for name in names}


def _children(node: ast.AST) -> list[ast.expr]:
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            found.append(child)
        elif not isinstance(child, ast.stmt):
            found += _children(child)
    return found


def _is_none(expr: ast.expr | None) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))
