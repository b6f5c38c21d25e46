"""Values of a schema: valid, with every choice and edge among them, the ordinary one first."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrtr_adapter.schemas.example import NoExample, example
from mrtr_adapter.schemas.values import Values

Schema = dict[str, Any]

SCHEMAS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "boolean": ({"type": "boolean"}, [True, False]),
    "default": ({"type": "boolean", "default": False}, [False, True]),
    "enum": ({"enum": ["a", "b"]}, ["a", "b"]),
    "titles": ({"type": "string", "oneOf": [{"const": "a"}, {"const": "b", "title": "B"}]}, ["a", "b"]),
    "integer": ({"type": "integer"}, [1, 0, 1_000_000, -1]),
    "bounds": ({"type": "integer", "minimum": 2, "maximum": 5}, [2, 5]),
    "open bounds": ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9}, [1, 8]),
    "string": ({"type": "string"}, ["text", ""]),
    "length": ({"type": "string", "minLength": 5, "maxLength": 6}, ["textx", "xxxxx", "xxxxxx"]),
    "date": ({"type": "string", "format": "date"}, ["2026-01-31"]),
    "optional": ({"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 3}]}, [3, None, 1_000_000]),
    "two types": ({"type": ["string", "null"]}, ["text", None, ""]),
    "list": ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1}, [["a"], ["a", "b"], ["b"]]),
    "object": (
        {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"enum": [1]}}, "required": ["b"]},
        [{"a": True, "b": 1}, {"a": False, "b": 1}, {"b": 1}],
    ),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_values_of_a_schema(name: str) -> None:
    schema, values = SCHEMAS[name]
    found = list(Values(schema).all(schema))
    assert found == values
    for value in found:
        jsonschema.validate(value, schema)


EDGES: dict[str, tuple[Schema, list[Any]]] = {
    "multiples": ({"type": "integer", "multipleOf": 5, "minimum": 7, "maximum": 22}, [10, 20]),
    "multiples without bounds": ({"type": "integer", "multipleOf": 7}, [7, 0, 999_999, -7]),
    "fractions of a bound": ({"type": "integer", "minimum": 2.5, "exclusiveMaximum": 4}, [3]),
    "closer than a step": ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.4}, [0.2]),
    "two lower bounds": ({"type": "integer", "minimum": 1, "exclusiveMinimum": 4, "maximum": 9}, [5, 9]),
    "beyond what a float holds": ({"type": "integer", "minimum": 2**63 + 1}, [2**63 + 1]),
    "as large at the other end": ({"type": "integer", "exclusiveMaximum": -(2**63)}, [-(2**63) - 1]),
    "below zero": ({"type": "integer", "maximum": -3}, [-3]),
    "many": ({"type": "array", "items": {"enum": [1, 2]}, "minItems": 3}, [[1, 1, 1], [1, 1, 2], [2, 2, 2]]),
    "different ones": (
        {"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 2, "maxItems": 2, "uniqueItems": True},
        [[1, 2]],
    ),
    "a pattern that words fit": ({"type": "string", "pattern": "^[a-z]+$"}, ["text"]),
    "a default that does not fit": ({"type": "string", "default": None, "minLength": 1}, ["text", "x"]),
    "an optional one that is not found": (
        {"properties": {"a": {"pattern": "^[0-9]{9}$"}, "b": {"const": 1}}, "type": "object"},
        [{"b": 1}, {}],
    ),
    "a required one that is not described": (
        {"type": "object", "required": ["a"]},
        [{"a": "text"}, {"a": ""}],
    ),
    "anything at all": ({"type": "object", "properties": {"a": True}}, [{"a": "text"}, {"a": ""}, {}]),
}


@pytest.mark.parametrize("name", EDGES)
def test_values_at_the_edges(name: str) -> None:
    schema, values = EDGES[name]
    assert list(Values(schema).all(schema)) == values


NONE_FOUND: dict[str, Schema] = {
    "a pattern": {"type": "string", "pattern": "^[0-9]{9}$"},
    "a required property": {"properties": {"a": {"pattern": "^[0-9]{9}$"}}, "required": ["a"]},
    "nothing fits": {"type": "integer", "minimum": 2, "maximum": 1},
    "a reference into nowhere": {"properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]},
    "a reference out of the schema": {"$ref": "https://example.com/schema.json"},
    "a reference to itself": {"$ref": "#"},
    "no schema": {"type": "integer", "minimum": "low"},
    "an unknown type": {"type": "date"},
}


@pytest.mark.parametrize("name", NONE_FOUND)
def test_where_none_is_found_there_is_none(name: str) -> None:
    schema = NONE_FOUND[name]
    assert list(Values(schema).all(schema)) == []
    with pytest.raises(NoExample):
        example(schema)


def test_an_example_has_what_is_required_only() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 3},
            "b": {"type": "string"},
            "c": {"type": "object", "properties": {"d": {"type": "boolean"}}},
            "e": {"anyOf": [{"type": "null"}, {"const": 7}]},
        },
        "required": ["a", "c", "e"],
    }
    assert example(schema) == {"a": 3, "c": {}, "e": 7}
    assert example({"type": "object", "properties": {"a": {"type": "string"}}}) == {}
    assert example({"type": "string", "examples": ["given"]}) == "given"


def bounded(kind: str, low: Any, high: Any, of: st.SearchStrategy[Any]) -> st.SearchStrategy[Schema]:
    """Schemas of a type with none, one or both of two bounds, in their order."""

    def schema(bounds: list[Any], has: tuple[bool, bool]) -> Schema:
        first, last = sorted(bounds)
        return {"type": kind} | ({low: first} if has[0] else {}) | ({high: last} if has[1] else {})

    return st.builds(schema, st.lists(of, min_size=2, max_size=2), st.tuples(st.booleans(), st.booleans()))


LENGTHS = st.integers(0, 9)
FRACTIONS = st.integers(-12, 12).map(lambda number: number / 4)
LEAVES: st.SearchStrategy[Schema] = st.one_of(
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]}, {}]),
    st.lists(st.integers() | st.text(max_size=3) | st.none(), min_size=1, max_size=3).map(
        lambda values: {"enum": values}
    ),
    st.integers().map(lambda value: {"const": value}),
    st.sampled_from(["date", "date-time", "email", "time", "uri", "uuid", "unheard-of"]).map(
        lambda name: {"type": "string", "format": name}
    ),
    bounded("string", "minLength", "maxLength", LENGTHS),
    bounded("integer", "minimum", "maximum", st.integers()),
    bounded("integer", "minimum", "maximum", FRACTIONS).filter(
        lambda schema: len(schema) < 3 or schema["maximum"] - schema["minimum"] >= 1
    ),
    bounded("integer", "exclusiveMinimum", "exclusiveMaximum", st.integers(-9, 9)).filter(
        lambda schema: len(schema) < 3 or schema["exclusiveMaximum"] - schema["exclusiveMinimum"] >= 2
    ),
    bounded("number", "minimum", "maximum", FRACTIONS),
    bounded("number", "exclusiveMinimum", "exclusiveMaximum", FRACTIONS).filter(
        lambda schema: len(schema) < 3 or schema["exclusiveMinimum"] < schema["exclusiveMaximum"]
    ),
    bounded("number", "exclusiveMinimum", "maximum", FRACTIONS).filter(
        lambda schema: len(schema) < 3 or schema["exclusiveMinimum"] < schema["maximum"]
    ),
    st.sampled_from([1, 3, 0.5, 0.25]).map(lambda step: {"type": "number", "multipleOf": step}),
    st.builds(
        lambda step, low: {"type": "integer", "multipleOf": step, "minimum": low, "maximum": low + step},
        st.integers(1, 7),
        st.integers(-20, 20),
    ),
    st.just({"type": "string", "default": "given", "title": "Text"}),
)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    properties = draw(st.dictionaries(st.sampled_from("abcd"), inner, max_size=4))
    required = [name for name in properties if draw(st.booleans())]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": draw(st.booleans()),
    }


def composed(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    sizes = bounded("array", "minItems", "maxItems", st.integers(0, 4))
    lists = st.builds(lambda items, size: {**size, "items": items}, inner, sizes)
    return st.one_of(
        objects(inner),
        lists,
        st.lists(inner, min_size=1, max_size=3).map(lambda choices: {"anyOf": choices}),
        inner.map(lambda schema: {"oneOf": [schema]}),
        inner.map(lambda schema: {"allOf": [schema], "title": "One"}),
    )


SUPPORTED = st.recursive(LEAVES, composed, max_leaves=6)


@given(SUPPORTED, st.booleans())
def test_whatever_is_asked_for_all_values_fit_and_there_is_one(inner: Schema, sparse: bool) -> None:
    schema = {
        "type": "object",
        "properties": {"it": {"$ref": "#/$defs/It"}, "again": {"$ref": "#/$defs/It"}},
        "required": ["it"],
        "$defs": {"It": inner},
    }
    validator = jsonschema.Draft202012Validator(schema)
    found = list(Values(schema, sparse=sparse).all(schema))
    assert found
    assert found == list(Values(schema, sparse=sparse).all(schema))
    for value in found:
        validator.validate(value)
    jsonschema.validate(example(schema), schema)


def test_references_are_followed_and_a_schema_of_itself_ends() -> None:
    schema = {
        "type": "object",
        "properties": {"kind": {"$ref": "#/$defs/Kind"}, "next": {"$ref": "#"}},
        "required": ["kind"],
        "$defs": {"Kind": {"enum": ["x", "y"]}},
    }
    values = Values(schema)
    assert next(values.all(schema))["kind"] == "x"
    assert "y" in {value["kind"] for value in values.all(schema)}


ENORMOUS = {
    "text": {"type": "string", "minLength": 10**15},
    "list": {"type": "array", "minItems": 10**15, "items": {"type": "integer"}},
    "fine step": {"type": "number", "multipleOf": 1e-310, "maximum": 5},
    "finer step": {"type": "number", "multipleOf": 1e-320},
    "far from zero": {"type": "number", "multipleOf": 1e-10, "minimum": 1e300},
    "beyond all floats": {"type": "number", "exclusiveMinimum": 10**400},
    "infinite": {"type": "number", "minimum": math.inf},
    "infinite and whole": {"type": "integer", "maximum": math.inf},
    "no number": {"type": "number", "minimum": math.nan},
}


@pytest.mark.parametrize("kind", ENORMOUS)
def test_what_no_value_can_be_made_for_is_passed_over(kind: str) -> None:
    schema = {"type": "object", "properties": {"it": ENORMOUS[kind], "other": {"const": 1}}}
    found = list(Values(schema).all(schema))
    assert {"other": 1} in found
    assert "Infinity" not in json.dumps(found)
    assert "NaN" not in json.dumps(found)
