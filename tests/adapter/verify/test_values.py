"""Explored values: valid by their schema, with every choice and edge among them, the ordinary one first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mrtr_adapter.engine.answers import accepted
from mrtr_adapter.engine.question import ELICIT, SAMPLE, Question
from mrtr_adapter.verify.answers import Elicited, on_the_wire
from mrtr_adapter.verify.explore.answers import answers_to_try
from mrtr_adapter.verify.explore.values import Values
from mrtr_adapter.verify.explore.words import MOST, known_words

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


def test_references_are_followed_and_a_schema_of_itself_ends() -> None:
    schema = {
        "type": "object",
        "properties": {"kind": {"$ref": "#/$defs/Kind"}, "next": {"$ref": "#"}},
        "required": ["kind"],
        "$defs": {"Kind": {"enum": ["x", "y"]}},
    }
    values = Values(schema)
    assert values.ordinary(schema)["kind"] == "x"
    assert "y" in {value["kind"] for value in values.all(schema)}


FORM = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "why": {"type": "string"}},
    "required": ["ok"],
}


def test_a_form_is_accepted_refused_and_answered_against_its_schema() -> None:
    question = Question.of(ELICIT, {"mode": "form", "message": "?", "requestedSchema": FORM})
    tried = list(answers_to_try(question))
    single = [each[0] for each in tried if len(each) == 1]
    assert Elicited(action="decline") in single
    assert Elicited(action="cancel") in single
    contents = [each.content for each in single if isinstance(each, Elicited) and each.action == "accept"]
    assert {content["ok"] for content in contents if content} == {True, False}
    assert {"ok": True} in contents
    assert all(accepted(question, {"action": "accept", "content": content}) for content in contents)

    ((invalid, then),) = [each for each in tried if len(each) == 2]
    assert isinstance(invalid, Elicited)
    assert not accepted(question, on_the_wire(invalid, ""))
    assert then == Elicited(action="decline")


def test_a_model_answers_with_text_and_without() -> None:
    question = Question.of(SAMPLE, {"messages": [], "maxTokens": 1})
    wire = [on_the_wire(each[0], "") for each in answers_to_try(question)]  # type: ignore[arg-type]
    assert [each["content"]["type"] for each in wire] == ["text", "image", "text"]
    assert all(accepted(question, each) for each in wire)


def test_words_are_what_the_code_tells_apart(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(
        'TABLE = {"inbox": 1, "spam": 2}\n'
        'if __name__ == "__main__":\n    pass\n'
        "def tool(answer, text):\n"
        '    """Not this."""\n'
        '    if answer.action == "accept" and text.startswith("free"):\n'
        '        return "nor this"\n'
        '    return text in ("yes", "no")\n'
    )
    assert known_words(file) == ["inbox", "spam", "yes", "no", "free"]
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "annual report.txt").touch()
    assert known_words(file)[-1] == "annual report"
    file.write_text(f"TABLE = {dict.fromkeys(map(str, range(99)))}")
    assert len(known_words(file)) == MOST + 1
