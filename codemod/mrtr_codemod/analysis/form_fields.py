"""The fields of a form's schema: of a pydantic model, a dataclass, a JSON Schema, or a FastMCP shorthand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from mrtr_codemod.analysis.definitions import Definition, Definitions
from mrtr_codemod.analysis.sdk import constant, is_none, items
from mrtr_codemod.analysis.walk import last_name
from mrtr_codemod.names.evaluate import Evaluator
from mrtr_codemod.names.module import ScopeId
from mrtr_codemod.names.reference import lower
from mrtr_codemod.names.values import ClassValue, External, Value
from mrtr_codemod.project import Project

_DEPTH = 4
_TEXT = frozenset({"str", "EmailStr", "AnyUrl", "HttpUrl", "constr", "bytes"})
_OTHER = frozenset({"int", "float", "bool", "date", "datetime", "time", "conint", "confloat"})
_SECRET = frozenset({"SecretStr", "SecretBytes"})
_OPEN = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "object"})
_LISTS = frozenset(
    {"list", "List", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "Sequence", "Iterable"}
)
_WRAPPERS = frozenset({"Optional", "Required", "NotRequired", "Final", "Union"})
_OBJECTS = (
    "pydantic.BaseModel",
    "pydantic.main.BaseModel",
    "typing.TypedDict",
    "typing_extensions.TypedDict",
)
_DATACLASS = frozenset({"dataclass", "pydantic_dataclass", "define", "attrs"})


class Shape(Enum):
    """What a field may hold."""

    TEXT = "text"
    OTHER = "a number, a truth value or a choice"
    SECRET = "a secret by its type"  # noqa: S105
    NESTED = "an object"
    LIST = "a list of other than choices"
    OPEN = "anything"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class FormField:
    """A field: its name, empty for the only value of a shorthand, its shape and where it is defined."""

    name: str
    shape: Shape
    node: ast.expr | ast.stmt
    path: str


class FormFields:
    """Reads schemas."""

    def __init__(self, project: Project, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.definitions = Definitions(project, evaluator)

    def of(self, schema: ast.expr, scope: ScopeId, depth: int = 0) -> list[FormField]:
        """The fields of a schema, as far as the code tells them."""
        if depth > _DEPTH:
            return []
        definition = self.definitions.of(schema, scope)
        node = definition.node
        if isinstance(node, ast.ClassDef):
            return list(self.of_class(definition))
        if isinstance(node, ast.Dict):
            return list(self._json_schema(node, definition.scope))
        if isinstance(node, ast.Call):
            return self._call(node, definition.scope, depth + 1)
        if isinstance(node, ast.Name):
            return [FormField("", self.shape(node, definition.scope), node, definition.scope.path)]
        return []

    def _call(self, call: ast.Call, scope: ScopeId, depth: int) -> list[FormField]:
        """`Schema.model_json_schema()`, `create_model("Schema", name=(str, ...))`."""
        name = last_name(call)
        if name in ("model_json_schema", "schema") and isinstance(call.func, ast.Attribute):
            return self.of(call.func.value, scope, depth)
        if name in ("render_elicitation_schema", "get_elicitation_schema") and call.args:
            return self.of(call.args[0], scope, depth)
        if name == "create_model":
            return [
                FormField(k.arg, self.shape(_first(k.value), scope), k.value, scope.path)
                for k in call.keywords
                if k.arg is not None and not k.arg.startswith("__")
            ]
        return []

    def of_class(self, definition: Definition, depth: int = 0) -> Iterator[FormField]:
        """The annotated fields of a class, those of its bases in the repo included."""
        node = definition.node
        if not isinstance(node, ast.ClassDef) or depth > _DEPTH:
            return
        for statement in node.body:
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            if _generic(statement.annotation) != "ClassVar" and statement.target.id != "model_config":
                # A field that writes its own JSON Schema shows what that says, not what its type says.
                own = "json_schema_extra" in {
                    k.arg for k in ast.walk(statement) if isinstance(k, ast.keyword)
                }
                shape = Shape.UNKNOWN if own else self.shape(statement.annotation, definition.scope)
                yield FormField(statement.target.id, shape, statement, definition.scope.path)
        for base in node.bases:
            for value in self.evaluator.values(lower(base), definition.scope):
                inherited = self.definitions.class_of(value.scope) if isinstance(value, ClassValue) else None
                if inherited is not None:
                    yield from self.of_class(inherited, depth + 1)

    # ------------------------------------------------------------------ JSON Schema

    def _json_schema(self, schema: ast.Dict, scope: ScopeId) -> Iterator[FormField]:
        properties = items(schema).get("properties")
        if properties is None:
            return
        listed = self.definitions.of(properties, scope)
        if isinstance(listed.node, ast.Dict):
            for name, value in items(listed.node).items():
                yield FormField(name, self._property(value, listed.scope), value, listed.scope.path)

    def _property(self, node: ast.expr, scope: ScopeId) -> Shape:
        definition = self.definitions.of(node, scope)
        if not isinstance(definition.node, ast.Dict):
            return Shape.UNKNOWN
        entries = items(definition.node)
        kind = constant(entries.get("type"))
        if kind == "object" or "properties" in entries:
            return Shape.NESTED
        if kind == "array":
            return self._items(entries.get("items"), definition.scope)
        if kind == "string" and "enum" not in entries and "oneOf" not in entries:
            return Shape.SECRET if constant(entries.get("format")) == "password" else Shape.TEXT
        return Shape.OTHER if isinstance(kind, str) else Shape.UNKNOWN

    def _items(self, node: ast.expr | None, scope: ScopeId) -> Shape:
        definition = self.definitions.of(node, scope) if node is not None else None
        if definition is None:
            return Shape.LIST
        if not isinstance(definition.node, ast.Dict):
            return Shape.UNKNOWN
        entries = items(definition.node)
        if len(entries) < len(definition.node.keys):
            return Shape.UNKNOWN
        return Shape.OTHER if {"enum", "anyOf", "oneOf"} & entries.keys() else Shape.LIST

    # ------------------------------------------------------------------ annotations

    def shape(self, annotation: ast.expr, scope: ScopeId) -> Shape:
        """What a value with an annotation may be."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                return self.shape(ast.parse(annotation.value.strip(), mode="eval").body, scope)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return Shape.UNKNOWN
        if isinstance(annotation, ast.BinOp):
            return self._union([annotation.left, annotation.right], scope)
        if isinstance(annotation, ast.Subscript):
            return self._subscript(annotation, scope)
        return self._named(annotation, scope)

    def _union(self, members: list[ast.expr], scope: ScopeId) -> Shape:
        shapes = {self.shape(member, scope) for member in members if not is_none(member)}
        for shape in (Shape.NESTED, Shape.LIST, Shape.OPEN, Shape.SECRET):
            if shape in shapes:
                return shape
        return shapes.pop() if len(shapes) == 1 else Shape.UNKNOWN

    def _subscript(self, annotation: ast.Subscript, scope: ScopeId) -> Shape:
        name = _generic(annotation)
        arguments = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        if name == "Literal":
            return Shape.OTHER
        if name == "Annotated" and arguments:
            return self.shape(arguments[0], scope)
        if name in _WRAPPERS:
            return self._union(arguments, scope)
        if name in _OPEN:
            return Shape.OPEN
        if name in _LISTS and arguments:
            held = self.shape(arguments[0], scope)
            return Shape.LIST if held in (Shape.TEXT, Shape.NESTED, Shape.OPEN) else Shape.UNKNOWN
        return Shape.UNKNOWN

    def _named(self, annotation: ast.expr, scope: ScopeId) -> Shape:
        values = self.evaluator.values(lower(annotation), scope)
        if any(isinstance(value, ClassValue) for value in values):
            return self._of_class(values)
        externals = {value.name.rpartition(".")[2] for value in values if isinstance(value, External)}
        for names, shape in (
            (_SECRET, Shape.SECRET),
            (_TEXT, Shape.TEXT),
            (_OTHER, Shape.OTHER),
            (_OPEN, Shape.OPEN),
            (_LISTS, Shape.LIST),
        ):
            if externals & names:
                return shape
        return Shape.UNKNOWN

    def _of_class(self, values: tuple[Value, ...]) -> Shape:
        for value in values:
            if not isinstance(value, ClassValue):
                continue
            bases = self.evaluator.external_bases(value.scope)
            if any(base.startswith("enum.") for base in bases):
                return Shape.OTHER
            info = self.evaluator.class_info(value.scope)
            decorators = {step.lstrip(".") for ref in info.decorators for step in ref} if info else set()
            if any(base in _OBJECTS for base in bases) or decorators & _DATACLASS:
                return Shape.NESTED
        return Shape.UNKNOWN


def _generic(node: ast.expr) -> str:
    return last_name(node.value) if isinstance(node, ast.Subscript) else ""


def _first(node: ast.expr) -> ast.expr:
    return node.elts[0] if isinstance(node, ast.Tuple) and node.elts else node
