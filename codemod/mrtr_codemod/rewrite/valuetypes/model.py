"""A small model of types: a dotted name and its arguments; a union has the name `|`."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..facts import Facts, parse_annotation


@dataclass(frozen=True)
class Type:
    """`list[str]` is Type("list", (Type("str"),)); a class of the module goes by its own name, one of another file of
    the project by `module:Class`, any other by its origin. `Literal` keeps its source as name."""

    name: str
    args: tuple[Type, ...] = ()

    @property
    def members(self) -> tuple[Type, ...]:
        return self.args if self.name == "|" else (self,)

    @property
    def element(self) -> Type | None:
        """What iterating over a value of this type yields, if that is plain."""
        if self.name in ("list", "set", "frozenset", "dict", "Generator", "Sequence") and self.args:
            return self.args[0]
        if self.name == "tuple" and self.args:
            inner = [a for a in self.args if a.name != "..."]
            return union(*inner)
        return STR if self.name == "str" else INT if self.name == "bytes" else None

    def without_none(self) -> Type:
        kept = [m for m in self.members if m.name != "None"]
        return union(*kept) if kept else self


STR, INT, BOOL, FLOAT, NONE = Type("str"), Type("int"), Type("bool"), Type("float"), Type("None")
ANY = Type("Any")
NUMBER = Type("|", (Type("int"), Type("float")))


def union(*types: Type) -> Type:
    """The union of types, flat and without repeats."""
    members = list(dict.fromkeys(m for t in types for m in t.members))
    if any(m == ANY for m in members):
        return ANY
    members.sort(key=lambda m: m.name == "None")
    return members[0] if len(members) == 1 else Type("|", tuple(members))


_GENERIC = {
    "List": "list", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset", "Tuple": "tuple",
    "Sequence": "Sequence", "Mapping": "Mapping",
}  # fmt: skip
_PLAIN = {"str", "int", "bool", "float", "bytes", "list", "dict", "set", "frozenset", "tuple", "object"}


def from_annotation(expr: ast.expr | None, facts: Facts) -> Type | None:
    """The type that an annotation names, or None where the model has no word for it."""
    if expr is None:
        return None
    expr = parse_annotation(expr)
    if isinstance(expr, ast.Constant):
        return NONE if expr.value is None else Type("...") if expr.value is ... else None
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.BitOr):
        sides = [from_annotation(side, facts) for side in (expr.left, expr.right)]
        return union(*sides) if all(sides) else None  # type: ignore[arg-type]
    if isinstance(expr, ast.Subscript):
        return _subscript(expr, facts)
    if isinstance(expr, ast.Name) and expr.id not in facts.imports:
        if expr.id in _PLAIN:
            return Type(expr.id)
        return Type(expr.id) if expr.id in facts.classes else None
    origin = facts.origin(expr)
    if origin is None:
        return None
    tail = origin.rpartition(".")[2]
    if origin in ("typing.Any", "typing_extensions.Any"):
        return ANY
    if origin.startswith("typing.") and tail in _GENERIC:
        return Type(_GENERIC[tail])
    return Type(_placed(origin, facts))


def _placed(origin: str, facts: Facts) -> str:
    """The name of the type that is imported as `origin`."""
    found = facts.find(origin)
    return f"{found[0].dotted}:{found[1]}" if found is not None and found[1] in found[0].classes else origin


def _subscript(expr: ast.Subscript, facts: Facts) -> Type | None:
    args = expr.slice.elts if isinstance(expr.slice, ast.Tuple) else [expr.slice]
    base = expr.value.id if isinstance(expr.value, ast.Name) else None
    origin = facts.origin(expr.value) or ""
    module, _, tail = origin.rpartition(".")
    typing = module in ("typing", "typing_extensions", "collections.abc")
    if typing and tail == "Literal":
        return Type(f"Literal[{ast.unparse(expr.slice)}]")
    inner = [from_annotation(a, facts) for a in args]
    if typing and tail == "Annotated":
        return inner[0]
    if any(i is None for i in inner):
        return None
    known = tuple(i for i in inner if i is not None)
    if typing and tail == "Optional":
        return union(*known, NONE)
    if typing and tail == "Union":
        return union(*known)
    if typing and tail in _GENERIC:
        return Type(_GENERIC[tail], known)
    if base in _PLAIN and base not in facts.imports:
        return Type(base, known)
    return Type(_placed(origin, facts), known) if origin else None


def abroad(found: Type, home: Facts, here: Facts) -> Type:
    """A type of the file `home` as another file names it."""
    if home is here:
        return found
    name = f"{home.dotted}:{found.name}" if found.name in home.classes else found.name
    return Type(name, tuple(abroad(a, home, here) for a in found.args))


def returned_type(function: ast.FunctionDef | ast.AsyncFunctionDef, facts: Facts) -> Type | None:
    """The annotated result. An int may stand for a float there (PEP 484), so a float becomes a number."""
    found = from_annotation(function.returns, facts)
    return None if found is None else unchecked(found)


def unchecked(found: Type) -> Type:
    """What a value may really be that nothing has checked against its annotation: an int may stand for a float."""
    if found == FLOAT:
        return NUMBER
    if found.name == "|":
        return union(*(unchecked(m) for m in found.members))
    return Type(found.name, tuple(unchecked(a) for a in found.args))
