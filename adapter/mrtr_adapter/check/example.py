"""The plainest value that a JSON Schema takes: for arguments that nobody has named, and for answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing.exceptions import Unresolvable

_FORMATS = {
    "date": "2026-07-28",
    "date-time": "2026-07-28T00:00:00Z",
    "email": "check@example.com",
    "time": "00:00:00Z",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_DEEPEST = 20


class NoExample(Exception):
    """No value could be found; the message says for what."""


def example(schema: Mapping[str, Any]) -> Any:
    """A value that fits `schema`: required properties only, and defaults and examples where it has them.

    Raises:
        NoExample: none that fits was found. There may be one all the same.
    """
    value = _Builder(schema).value(schema, 0)
    try:
        fits = Draft202012Validator(schema).is_valid(value)
    except (SchemaError, Unresolvable, RecursionError) as error:
        raise NoExample(f"the schema can't be read ({type(error).__name__})") from None
    if not fits:
        raise NoExample(f"{value!r} does not fit the schema")
    return value


class _Builder:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def value(self, schema: object, depth: int) -> Any:
        if depth > _DEEPEST:
            raise NoExample("the schema is nested too deeply")
        if not isinstance(schema, Mapping):
            return None
        if "$ref" in schema:
            return self.value(self._referred(str(schema["$ref"])), depth + 1)
        for given in ("default", "const"):
            if given in schema:
                return schema[given]
        for several in ("examples", "enum"):
            if schema.get(several):
                return schema[several][0]
        for choice in ("oneOf", "anyOf", "allOf"):
            if schema.get(choice):
                return self.value(schema[choice][0], depth + 1)
        return self._of_type(schema, depth)

    def _of_type(self, schema: Mapping[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        if kind == "object" or (kind is None and "properties" in schema):
            properties = schema.get("properties", {})
            return {name: self.value(properties.get(name, {}), depth + 1) for name in _required(schema)}
        if kind == "array":
            return [self.value(schema.get("items", {}), depth + 1) for _ in range(schema.get("minItems", 0))]
        if kind == "string":
            return _text(schema)
        if kind in ("integer", "number"):
            return _number(schema)
        return {"boolean": False}.get(str(kind))

    def _referred(self, reference: str) -> object:
        """What a reference within the schema stands for."""
        found: Any = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            if not reference.startswith("#") or not isinstance(found, Mapping) or step not in found:
                raise NoExample(f"{reference} is nowhere in the schema")
            found = found[step]
        return found


def _required(schema: Mapping[str, Any]) -> list[str]:
    return [name for name in schema.get("required", []) if isinstance(name, str)]


def _text(schema: Mapping[str, Any]) -> str:
    given = _FORMATS.get(str(schema.get("format")), "check")
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(given) + schema.get("minLength", 0))
    return given.ljust(least, "x")[:most]


def _number(schema: Mapping[str, Any]) -> float:
    if "minimum" in schema:
        return float(schema["minimum"]) if schema.get("type") == "number" else int(schema["minimum"])
    if "exclusiveMinimum" in schema:
        return int(schema["exclusiveMinimum"]) + 1
    return int(min(1, schema.get("maximum", 1), schema.get("exclusiveMaximum", 2) - 1))
