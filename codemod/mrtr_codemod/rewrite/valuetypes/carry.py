"""Which types survive a round trip through the JSON of `requestState` unchanged, and how their fields are written."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from mrtr_codemod.analysis.decorating import uncalled

from ..facts import Facts
from ..fresh import FreshNames
from .infer import ANSWER
from .model import NUMBER, Type, from_annotation

IMMUTABLE = frozenset(
    [
        "str",
        "int",
        "bool",
        "float",
        "bytes",
        "None",
        "decimal.Decimal",
        "datetime.datetime",
        "datetime.date",
        "datetime.time",
        "datetime.timedelta",
        "uuid.UUID",
        "pathlib.Path",
        "pathlib.PurePath",
        "pathlib.PurePosixPath",
    ]
)
"""Values that nobody can change behind the back of a local."""

FAITHFUL = IMMUTABLE | frozenset(
    [
        "mcp.types.SamplingMessage",
        "mcp.types.TextContent",
        "mcp.types.ElicitResult",
        "mcp.types.CreateMessageResult",
        "mcp.types.ListRootsResult",
        "mcp.types.Root",
        "mrtr_steps.Sampled",
        "sampled.content",
    ]
)
"""Types that a strict pydantic model reads back equal from its own JSON (`tests/codemod/rewrite/test_carry.py`)."""

_AS_TEXT = IMMUTABLE - {"int", "bool", "float", "None"}
_AS_LIST = frozenset(["list", "set", "frozenset", "tuple"])
_KEYS = IMMUTABLE - {"None"}
_CONTAINERS = {"list", "dict", "set", "frozenset", "tuple"}
_SECRET = re.compile(
    r"(^|_)(pass(word|wd|phrase|code)?|secret|token|api_?key|apikey|credentials?|otp|pin|private_?key|access_?key|"
    r"one_?time_?code|auth_?code|cvv|cvc|ssn)s?($|_)",
    re.IGNORECASE,
)


def looks_secret(name: str) -> bool:
    """A name that says password, token, one-time code or key."""
    return bool(_SECRET.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)))


@dataclass
class Carrier:
    """Decides about types, and writes them as annotations in the terms of one module."""

    facts: Facts
    imports: dict[str, str] = field(default_factory=dict)
    """Origins that written annotations need and the module does not import yet, to the name they go by."""

    def objection(self, found: Type, seen: frozenset[str] = frozenset()) -> str | None:
        """Why a value of this type can't ride in the state, or None."""
        if found.name == "dict" and found.args and (objection := self._key_objection(found.args[0])):
            return objection
        if found.name == "|" and (objection := self._confusion(found)):
            return objection
        if found.name == "|" or found.name in _CONTAINERS:
            if found.name in _CONTAINERS and not found.args:
                return None
            return next((o for a in found.args if (o := self.objection(a, seen))), None)
        if found.name in FAITHFUL or found.name.startswith("Literal[") or found.name in ("Any", "...", "?"):
            return next((o for a in found.args if (o := self.objection(a, seen))), None)
        if found.name == ANSWER:
            return self.objection(found.args[0], seen) if found.args else "its schema can't be told"
        if found.name in seen:
            return None
        known = self.facts.declared(found.name)
        if known is not None:
            home, declared = known
            if self._for_type_checkers(found.name):
                return f"the class {declared.name} is imported for type checkers only: import it for good"
            return Carrier(home)._class_objection(declared, seen | {found.name})
        return f"JSON can't carry {self.shown(found)}"

    def _confusion(self, found: Type) -> str | None:
        """JSON writes values of several types the same way: of such, a union has one at most."""
        for alike in (_AS_TEXT, _AS_LIST):
            members = [m for m in found.members if m.name in alike]
            if len(members) > 1:
                return f"JSON can't tell {' from '.join(self.shown(m) for m in members[:2])}"
        return None

    def _for_type_checkers(self, name: str) -> bool:
        """Whether a class of another file is imported here, but not at run time."""
        local = name.rpartition(":")[2]
        return ":" in name and local in self.facts.imports and local not in self.facts.lasting

    def _key_objection(self, key: Type) -> str | None:
        """JSON has nothing but text for keys: a key comes back as what it was only if all are of one such type."""
        known = self.facts.declared(key.name)
        if known is not None and Carrier(known[0]).kind(known[1]) == "enum":
            values = [s.value for s in known[1].body if isinstance(s, ast.Assign)]
            textual = all(isinstance(v, ast.Constant) and isinstance(v.value, str) for v in values)
            return None if textual else f"JSON can't carry {key.name} as a key"
        carried = key in (NUMBER, Type("?")) or key.name in _KEYS or key.name.startswith("Literal[")
        return None if carried else f"JSON can't carry {self.shown(key)} as a key"

    def _class_objection(self, declared: ast.ClassDef, seen: frozenset[str]) -> str | None:
        kind = self.kind(declared)
        if kind == "enum":
            return None
        if kind is None:
            return f"JSON can't carry the class {declared.name}: make it a pydantic model or a dataclass"
        for stmt in declared.body:
            if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
                stmt.name in ("__init__", "__post_init__", "__new__", "model_post_init", "__eq__")
                or any(_validates(d) for d in stmt.decorator_list)
            ):
                return f"the class {declared.name} has its own {stmt.name}, so a copy from JSON may differ"
            is_field = isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name)
            if is_field and (objection := self._field_objection(declared, stmt, seen)):
                return objection
        for base in declared.bases:
            parent = self._parent(base)
            if parent is not None and (objection := Carrier(parent[0])._class_objection(parent[1], seen)):
                return objection
        return None

    def _parent(self, base: ast.expr) -> tuple[Facts, ast.ClassDef] | None:
        found = from_annotation(base, self.facts) if isinstance(base, (ast.Name, ast.Attribute)) else None
        return self.facts.declared(found.name) if found is not None else None

    def _field_objection(self, declared: ast.ClassDef, stmt: ast.stmt, seen: frozenset[str]) -> str | None:
        assert isinstance(stmt, ast.AnnAssign)
        assert isinstance(stmt.target, ast.Name)
        name = f"{declared.name}.{stmt.target.id}"
        if looks_secret(stmt.target.id):
            return f"{name} looks like a secret"
        options = {k.arg for n in ast.walk(stmt) if isinstance(n, ast.Call) for k in n.keywords}
        if options & {"alias", "exclude", "init", "validation_alias", "serialization_alias", "init_var"}:
            return f"{name} is written to JSON otherwise than it is read"
        found = from_annotation(stmt.annotation, self.facts)
        if found is None:
            return f"the type of {name} can't be told"
        return self.objection(found, seen)

    def kind(self, declared: ast.ClassDef) -> str | None:
        """`model`, `dataclass`, `enum`, or None for another class."""
        if any((self.facts.origin(uncalled(d)) or "").endswith("dataclass") for d in declared.decorator_list):
            return "dataclass"
        for base in declared.bases:
            origin = self.facts.origin(base) or ""
            if origin in ("pydantic.BaseModel", "pydantic.main.BaseModel"):
                return "model"
            if origin.startswith("enum."):
                return "enum"
            if origin in ("typing.TypedDict", "typing_extensions.TypedDict"):
                return "typed dict"
            parent = self._parent(base)
            if parent is not None and (kind := Carrier(parent[0]).kind(parent[1])):
                return kind
        return None

    def shown(self, found: Type) -> str:
        return (
            found.name if not found.args else f"{found.name}[{', '.join(self.shown(a) for a in found.args)}]"
        )

    def written(self, found: Type) -> str:
        """The annotation of a field of this type."""
        if found.name == "|":
            return " | ".join(self.written(m) for m in found.members)
        if found.name == "Any" or found.name == "?":
            return self._imported("pydantic.JsonValue")
        if found.name in _CONTAINERS and not found.args:
            json = self._imported("pydantic.JsonValue")
            inner = {"dict": f"str, {json}", "tuple": f"{json}, ..."}.get(found.name, json)
            return f"{found.name}[{inner}]"
        base = found.name if found.name in _CONTAINERS else self._named(found.name)
        return base if not found.args else f"{base}[{', '.join(self.written(a) for a in found.args)}]"

    def _named(self, name: str) -> str:
        if name.startswith("Literal["):
            return self._imported("typing.Literal") + name.removeprefix("Literal")
        if ":" in name:
            return self._of_project(name)
        return self._imported(name) if "." in name and name != "..." else name

    def _of_project(self, name: str) -> str:
        """The name that a class of another file has in this one; asks for an import if it has none."""
        for local, origin in self.facts.imports.items():
            found = self.facts.find(origin) if local in self.facts.lasting else None
            if found is not None and f"{found[0].dotted}:{found[1]}" == name:
                return local
        module, _, tail = name.partition(":")
        spelled = self.facts.neighbours.spelled(module) if self.facts.neighbours is not None else module
        return self._asked_for(f"{spelled}.{tail}", tail)

    def _imported(self, origin: str) -> str:
        """The name that `origin` has in the module; asks for an import if it has none."""
        origins = {origin, origin.replace("mcp.types.", "mcp_types.")}
        lasting = [(n, o) for n, o in self.facts.imports.items() if n in self.facts.lasting]
        for name, known in lasting:
            if known in origins:
                return name
        module, _, tail = origin.rpartition(".")
        for name, known in lasting:
            if known == module:
                return f"{name}.{tail}"
        return self._asked_for(origin, tail)

    def _asked_for(self, origin: str, tail: str) -> str:
        """The name under which something is imported for the annotations."""
        if origin not in self.imports:
            taken = {*self.facts.names, *self.imports.values()} - {
                n for n in (tail,) if self._means(n, origin)
            }
            self.imports[origin] = FreshNames(taken)(tail)
        return self.imports[origin]

    def _means(self, name: str, origin: str) -> bool:
        """Whether a name means the same already, in code that is not run with the module."""
        return self.facts.imports.get(name) == origin


def _validates(decorator: ast.expr) -> bool:
    called = uncalled(decorator)
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in (
        "field_validator",
        "model_validator",
        "validator",
        "root_validator",
        "field_serializer",
        "model_serializer",
    )
