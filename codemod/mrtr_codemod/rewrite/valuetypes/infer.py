"""The type of an expression, from annotations, literals and what functions say they return."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ..facts import Facts
from .imported import imported_result
from .joining import bind_target, join
from .methods import BUILTIN_RESULTS, STRING_METHODS, path_method
from .model import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    Type,
    abroad,
    from_annotation,
    union,
)
from .results import result_of
from .stubs import stubbed_result

ANSWER = "mrtr_steps.Answer"
_EMPTY = {
    "list": Type("list", (Type("?"),)),
    "dict": Type("dict", (Type("?"), Type("?"))),
    "set": Type("set", (Type("?"),)),
}


@dataclass
class Inference:
    """Types of expressions in one function. `local` holds what is known of its locals."""

    facts: Facts
    local: Mapping[str, Type]
    class_name: str | None = None

    def __call__(self, expr: ast.expr | None) -> Type | None:
        """The type of `expr`; None where nothing in reach tells."""
        if expr is None:
            return None
        method = getattr(self, f"_{type(expr).__name__.lower()}", None)
        found: Type | None = method(expr) if method else None
        return found

    def _constant(self, expr: ast.Constant) -> Type | None:
        return NONE if expr.value is None else Type(type(expr.value).__name__)

    def _joinedstr(self, expr: ast.JoinedStr) -> Type:
        return STR

    def _compare(self, expr: ast.Compare) -> Type:
        return BOOL

    def _name(self, expr: ast.Name) -> Type | None:
        if expr.id in self.local:
            return self.local[expr.id]
        if expr.id in self.facts.annotations:
            return from_annotation(self.facts.annotations[expr.id], self.facts)
        if expr.id in self.facts.values:
            return Inference(self.facts, {})(self.facts.values[expr.id])
        return self._elsewhere(expr)

    def _elsewhere(self, expr: ast.expr) -> Type | None:
        """What another file of the project defines once and for all."""
        origin = self.facts.origin(expr)
        found = self.facts.find(origin) if origin is not None else None
        if found is None or found[1] not in {*found[0].values, *found[0].annotations}:
            return None
        home, name = found
        type_ = Inference(home, {})(ast.Name(name))
        return abroad(type_, home, self.facts) if type_ is not None else None

    def _await(self, expr: ast.Await) -> Type | None:
        return self(expr.value)

    def _namedexpr(self, expr: ast.NamedExpr) -> Type | None:
        return self(expr.value)

    def _unaryop(self, expr: ast.UnaryOp) -> Type | None:
        if isinstance(expr.op, ast.Not):
            return BOOL
        operand = self(expr.operand)
        return INT if operand == BOOL else operand

    def _boolop(self, expr: ast.BoolOp) -> Type | None:
        types = [self(v) for v in expr.values]
        if any(t is None for t in types):
            return None
        known = [t for t in types if t is not None]
        if isinstance(expr.op, ast.Or):
            known = [t.without_none() if t != NONE else t for t in known[:-1]] + known[-1:]
        return union(*known)

    def _ifexp(self, expr: ast.IfExp) -> Type | None:
        return self._all(expr.body, expr.orelse)

    def _all(self, *exprs: ast.expr) -> Type | None:
        types = [self(e) for e in exprs]
        return union(*(t for t in types if t)) if types and all(types) else None

    def _list(self, expr: ast.List) -> Type | None:
        return self._collection("list", expr.elts)

    def _set(self, expr: ast.Set) -> Type | None:
        return self._collection("set", expr.elts)

    def _collection(self, name: str, elements: list[ast.expr]) -> Type | None:
        if not elements:
            return _EMPTY[name]
        plain = [e for e in elements if not isinstance(e, ast.Starred)]
        starred = [self(e.value) for e in elements if isinstance(e, ast.Starred)]
        types = [self(e) for e in plain] + [t.element if t else None for t in starred]
        return Type(name, (union(*(t for t in types if t)),)) if all(types) else None

    def _tuple(self, expr: ast.Tuple) -> Type | None:
        types = [None if isinstance(e, ast.Starred) else self(e) for e in expr.elts]
        return Type("tuple", tuple(t for t in types if t)) if types and all(types) else None

    def _dict(self, expr: ast.Dict) -> Type | None:
        if not expr.keys:
            return _EMPTY["dict"]
        if any(k is None for k in expr.keys):
            return None
        key, value = self._all(*(k for k in expr.keys if k)), self._all(*expr.values)
        if key and value is None:
            value = ANY if all(_json_like(v) for v in expr.values) else None
        return Type("dict", (key, value)) if key and value else None

    def _comprehension(self, expr: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Type | None:
        element = self._inside(expr.generators)(expr.elt)
        name = {"ListComp": "list", "SetComp": "set"}.get(type(expr).__name__, "Generator")
        return Type(name, (element,)) if element else None

    _listcomp = _setcomp = _generatorexp = _comprehension

    def _dictcomp(self, expr: ast.DictComp) -> Type | None:
        inside = self._inside(expr.generators)
        key, value = inside(expr.key), inside(expr.value)
        return Type("dict", (key, value)) if key and value else None

    def _inside(self, generators: list[ast.comprehension]) -> Inference:
        inside = Inference(self.facts, dict(self.local), self.class_name)
        for generator in generators:
            bind_target(inside.local, generator.target, inside.iterated(generator.iter))  # type: ignore[arg-type]
        return inside

    def iterated(self, expr: ast.expr) -> Type | None:
        """What a `for` over `expr` yields."""
        if isinstance(expr, ast.Call):
            name = expr.func.id if isinstance(expr.func, ast.Name) else None
            if name == "range":
                return INT
            if name in ("enumerate", "numbered", "steps_numbered") and expr.args:
                inner = self.iterated(expr.args[0])
                return Type("tuple", (INT, inner)) if inner else None
            if name == "zip":
                inners = [self.iterated(a) for a in expr.args]
                return Type("tuple", tuple(i for i in inners if i)) if inners and all(inners) else None
            if name in ("reversed", "sorted", "list", "tuple", "set") and expr.args:
                return self.iterated(expr.args[0])
            if isinstance(expr.func, ast.Attribute) and expr.func.attr in ("items", "keys", "values"):
                owner = self(expr.func.value)
                if owner and owner.name == "dict" and len(owner.args) == 2:
                    key, value = owner.args
                    return {"items": Type("tuple", (key, value)), "keys": key, "values": value}[
                        expr.func.attr
                    ]
        found = self(expr)
        return found.element if found else None

    def _binop(self, expr: ast.BinOp) -> Type | None:
        left, right = self(expr.left), self(expr.right)
        if left == STR and isinstance(expr.op, (ast.Mod, ast.Add, ast.Mult)):
            return STR
        if left is None or right is None:
            return None
        numbers = {INT, BOOL, FLOAT, NUMBER}
        if left in numbers and right in numbers:
            if isinstance(expr.op, ast.Div):
                return FLOAT
            if FLOAT in (left, right):
                return FLOAT
            if isinstance(expr.op, ast.Pow) or NUMBER in (left, right):
                return NUMBER
            return INT
        if left.name == right.name and left.name in ("list", "set", "tuple", "dict"):
            if left.name == "tuple":
                return Type("tuple", left.args + right.args)
            return join(left, right)
        if left == right or (right in (INT, BOOL) and left.name in ("decimal.Decimal", "list")):
            return None if left.name == "datetime.datetime" else left
        base = left.without_none()
        if base.name.startswith("pathlib.") and isinstance(expr.op, ast.Div):
            return base
        if right.name == "decimal.Decimal" and left in (INT, BOOL):
            return right
        return None

    def _subscript(self, expr: ast.Subscript) -> Type | None:
        owner = self(expr.value)
        if owner is None:
            return None
        if isinstance(expr.slice, ast.Slice):
            return owner if owner.name in ("str", "list", "bytes") else None
        if owner.name == "dict" and len(owner.args) == 2:
            return owner.args[1]
        if (
            owner.name == "tuple"
            and isinstance(expr.slice, ast.Constant)
            and isinstance(expr.slice.value, int)
        ) and -len(owner.args) <= expr.slice.value < len(owner.args):
            return owner.args[expr.slice.value]
        return owner.element if owner.name in ("list", "str", "bytes") else None

    def _attribute(self, expr: ast.Attribute) -> Type | None:
        if (member := self._enum_member(expr.value)) is not None:
            return member
        owner = self(expr.value)
        if owner is None:
            return self._elsewhere(expr)
        members = [m for m in owner.without_none().members if not self._lacks(m, expr.attr)]
        parts = [self._field(member, expr.attr) for member in members]
        return union(*(p for p in parts if p)) if parts and all(parts) else None

    def _lacks(self, owner: Type, name: str) -> bool:
        """A model of the module without such a field: a value that has it is of another type."""
        home, declared = self.facts.declared(owner.name) or (self.facts, None)
        if declared is None or any(home.origin(b) != "pydantic.BaseModel" for b in declared.bases):
            return False
        names = {n.id for s in declared.body for n in ast.walk(s) if isinstance(n, ast.Name)}
        methods = {s.name for s in declared.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
        return name not in names | methods

    def _field(self, owner: Type, name: str) -> Type | None:
        if owner.name == ANSWER:
            return {"action": STR, "data": owner.args[0] if owner.args else None}.get(name)
        if owner.name == "mcp.types.ElicitResult":
            return {"action": STR, "content": Type("|", (Type("dict", (STR, ANY)), NONE))}.get(name)
        if owner.name == "mcp.types.CreateMessageResult":
            return {"model": STR, "role": STR, "content": Type("sampled.content")}.get(name)
        if owner.name == "sampled.content":
            return {"text": STR, "type": STR}.get(name)
        if owner.name == "mcp.types.ListRootsResult":
            return {"roots": Type("list", (Type("mcp.types.Root"),))}.get(name)
        if owner.name == "mcp.types.Root":
            return {"name": Type("|", (STR, NONE)), "uri": Type("pydantic.FileUrl")}.get(name)
        if owner.name.startswith("pathlib."):
            return {"name": STR, "stem": STR, "suffix": STR, "parent": owner}.get(name)
        if owner.name == "mrtr_steps.Sampled":
            return {"text": Type("|", (STR, NONE)), "result": owner.args[0] if owner.args else None}.get(name)
        known = self.facts.declared(owner.name)
        if known is None:
            return None
        home, declared = known
        found = Inference(home, {})._declared_field(declared, name)
        return abroad(found, home, self.facts) if found is not None else None

    def _declared_field(self, declared: ast.ClassDef, name: str) -> Type | None:
        if self._is_enum(declared):
            values = [s.value for s in declared.body if isinstance(s, ast.Assign)]
            return self._all(*values) if name == "value" and values else STR if name == "name" else None
        for stmt in declared.body:
            if (
                isinstance(stmt, ast.AnnAssign)
                and isinstance(stmt.target, ast.Name)
                and stmt.target.id == name
            ):
                return from_annotation(stmt.annotation, self.facts)
        for base in declared.bases:
            parent = self.facts.classes.get(base.id) if isinstance(base, ast.Name) else None
            if parent is not None and (found := self._declared_field(parent, name)):
                return found
        return None

    def _enum_member(self, owner: ast.expr) -> Type | None:
        """The type of `Colour.RED`, given `Colour`."""
        found = from_annotation(owner, self.facts) if isinstance(owner, (ast.Name, ast.Attribute)) else None
        home, declared = (found and self.facts.declared(found.name)) or (self.facts, None)
        return found if declared is not None and Inference(home, {})._is_enum(declared) else None

    def _is_enum(self, declared: ast.ClassDef) -> bool:
        return any((self.facts.origin(b) or "").startswith("enum.") for b in declared.bases)

    def _call(self, expr: ast.Call) -> Type | None:
        func = expr.func
        if isinstance(func, ast.Name):
            return self._named_call(func.id, expr)
        if isinstance(func, ast.Attribute):
            return self._method_call(func, expr)
        return None

    def _named_call(self, name: str, expr: ast.Call) -> Type | None:
        if name in self.local:
            return None
        if name in self.facts.functions:
            return result_of(self.facts.functions[name], self.facts)
        if name in self.facts.classes:
            return Type(name)
        if name in self.facts.imports:
            return self._imported(self.facts.imports[name])
        if name in BUILTIN_RESULTS:
            return BUILTIN_RESULTS[name]
        if name in ("list", "sorted", "set", "tuple", "frozenset"):
            kind = "list" if name == "sorted" else name
            if not expr.args:
                return _EMPTY.get(kind)
            element = self.iterated(expr.args[0])
            if element is None:
                return None
            return Type(kind, (element, Type("..."))) if kind == "tuple" else Type(kind, (element,))
        if name in ("min", "max"):
            if len(expr.args) > 1:
                return self._all(*expr.args)
            return self.iterated(expr.args[0]) if expr.args else None
        if name == "sum" and expr.args:
            element = self.iterated(expr.args[0])
            return INT if element in (INT, BOOL) else NUMBER if element in (FLOAT, NUMBER) else None
        if name == "abs" and expr.args:
            return self(expr.args[0])
        if name == "round":
            return INT if len(expr.args) == 1 else self(expr.args[0])
        if name == "dict":
            if not expr.args and not expr.keywords:
                return _EMPTY["dict"]
            source = self(expr.args[0]) if expr.args and not expr.keywords else None
            return source if source and source.name == "dict" else None
        return None

    def _method_call(self, func: ast.Attribute, expr: ast.Call) -> Type | None:
        origin = self.facts.origin(func)
        if origin is not None and self._elsewhere(func.value) is None:
            return self._imported(origin)
        if isinstance(func.value, ast.Name):
            owner_class = self.class_name if func.value.id in ("self", "cls") else func.value.id
            function = self.facts.functions.get(f"{owner_class}.{func.attr}")
            if function is not None and owner_class:
                return result_of(function, self.facts, owner_class)
        owner = self(func.value)
        if owner is None:
            return STRING_METHODS["format"] if func.attr in ("hexdigest", "isoformat", "strftime") else None
        owner = owner.without_none()
        if owner == STR or owner.name.startswith("Literal["):
            return STRING_METHODS.get(func.attr)
        if owner.name.startswith("pathlib."):
            return path_method(owner, func.attr)
        if owner.name == "dict" and len(owner.args) == 2:
            return self._dict_method(owner, func.attr, expr)
        if func.attr in ("copy", "union", "difference", "intersection"):
            return owner if owner.name in ("list", "set", "frozenset") else None
        if owner.name in ("list", "set") and func.attr == "pop":
            return owner.element
        if func.attr in ("isoformat", "strftime"):
            return STR
        if owner.name == "bytes" and func.attr in ("decode", "hex"):
            return STR
        known = self.facts.declared(owner.name)
        return self._returned(known[0], f"{known[1].name}.{func.attr}") if known else None

    def _imported(self, origin: str) -> Type | None:
        """What a call of something imported gives."""
        found = self.facts.find(origin)
        if found is None:
            return imported_result(origin) or (stubbed_result(origin) if self.facts.asks_stubs else None)
        home, name = found
        return abroad(Type(name), home, self.facts) if name in home.classes else self._returned(home, name)

    def _returned(self, home: Facts, name: str) -> Type | None:
        function = home.functions.get(name)
        found = result_of(function, home, name.rpartition(".")[0]) if function is not None else None
        return abroad(found, home, self.facts) if found is not None else None

    def _dict_method(self, owner: Type, name: str, expr: ast.Call) -> Type | None:
        if name in ("get", "pop", "setdefault"):
            default = self(expr.args[1]) if len(expr.args) > 1 else None
            if default is not None and "?" in str(default):
                default = owner.args[1]
            if len(expr.args) > 1:
                return union(owner.args[1], default) if default else None
            return union(owner.args[1], NONE) if name == "get" else owner.args[1]
        return owner if name == "copy" else None


def _json_like(expr: ast.expr) -> bool:
    """Plain data, judging by how it is written."""
    if isinstance(expr, (ast.List, ast.Tuple)):
        return isinstance(expr, ast.List) and all(_json_like(e) for e in expr.elts)
    if isinstance(expr, ast.Dict):
        return all(k is not None for k in expr.keys) and all(_json_like(v) for v in expr.values)
    return isinstance(expr, (ast.Constant, ast.JoinedStr))
