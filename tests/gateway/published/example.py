"""A value that a JSON schema allows, the same one each time. For the small schemas of forms and arguments."""

from __future__ import annotations

from typing import Any


def example(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """Objects get their required properties only, and all of them if none is required."""
    root = schema if root is None else root
    if "$ref" in schema:
        return example(_resolved(schema["$ref"], root), root)
    for known in ("const", "default"):
        if schema.get(known) is not None:
            return schema[known]
    if schema.get("enum"):
        return schema["enum"][0]
    for choice in ("oneOf", "anyOf", "allOf"):
        if schema.get(choice):
            return example(schema[choice][0], root)
    kind = schema.get("type", "object")
    return _of_type(kind[0] if isinstance(kind, list) else kind, schema, root)


def _of_type(kind: str, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    if kind == "object":
        properties = schema.get("properties") or {}
        wanted = schema.get("required") or list(properties)
        return {name: example(properties[name], root) for name in wanted if name in properties}
    if kind == "array":
        return [example(schema.get("items") or {"type": "string"}, root)] * max(1, schema.get("minItems", 1))
    if kind in ("integer", "number"):
        return max(1, schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1)
    if kind == "boolean":
        return True
    if kind == "null":
        return None
    formats = {"email": "ada@example.com", "uri": "https://example.com", "date": "2026-01-02"}
    formats["date-time"] = "2026-01-02T03:04:05Z"
    return formats.get(schema.get("format", ""), "word").ljust(schema.get("minLength", 0), "s")


def _resolved(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)
