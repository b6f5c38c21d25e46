"""Case files: what is wrong with one is said by the name of the case, and its published schema takes what is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mrtr_adapter.verify import cases as case_files
from mrtr_adapter.verify.answers import Elicited, Text
from mrtr_adapter.verify.cases import Case, CaseFile, one_case, read_cases, write_cases
from mrtr_adapter.verify.refusal import CannotVerify

SCHEMA = json.loads(Path(case_files.__file__).with_name("cases.schema.json").read_text())

GOOD: dict[str, Any] = {
    "accepted": {
        "tool": "refund",
        "answers": [{"action": "accept", "content": {"ok": True, "why": ["a", 1]}}],
    },
    "refused": {
        "tool": "refund",
        "arguments": {"n": 1},
        "answers": [{"action": "decline"}, {"action": "cancel"}],
    },
    "sampled": {"prompt": "p", "answers": [{"text": "yes"}, {"content": {"type": "image"}, "model": "m"}]},
    "roots": {
        "resource": "a://b",
        "answers": [{"roots": [{"uri": "file:///a", "name": "a"}]}, {"roots": []}],
    },
    "missing": {"tool": "t", "answers": ["missing"], "capabilities": {"roots": {}}, "allow_repeat": True},
}
WRONG: dict[str, tuple[Any, str]] = {
    "two things": ({"tool": "a", "prompt": "b"}, "name one of tool, prompt and resource"),
    "nothing": ({"answers": []}, "name one of tool, prompt and resource"),
    "an answer": (
        {"tool": "a", "answers": [{"action": "accept"}, {"yes": 1}]},
        "answer 2: it is none that there is",
    ),
    "a word": ({"tool": "a", "answers": ["absent"]}, "answer 1: it is none that there is"),
    "a field": ({"tool": "a", "argument": {}}, "argument: Extra inputs are not permitted"),
    "a kind": ({"tool": "a", "arguments": []}, "arguments: Input should be a valid dictionary"),
    "arguments": ({"resource": "a://b", "arguments": {"a": 1}}, "a resource has no arguments"),
}


def written(folder: Path, *cases: dict[str, Any]) -> Path:
    file = folder / "cases.json"
    file.write_text(json.dumps({"$schema": "./cases.schema.json", "cases": list(cases)}))
    return file


@pytest.mark.parametrize("name", GOOD)
def test_a_good_case_is_read_as_it_stands_and_fits_the_published_schema(name: str, tmp_path: Path) -> None:
    case = {"name": name, **GOOD[name]}
    file = written(tmp_path, case)
    jsonschema.validate(json.loads(file.read_text()), SCHEMA)
    assert read_cases(file)[0].model_dump(mode="json", exclude_unset=True) == case


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_by_the_name_of_the_case(name: str, tmp_path: Path) -> None:
    body, told = WRONG[name]
    file = written(tmp_path, {"name": "fine", "tool": "a"}, {"name": name, **body})
    with pytest.raises(CannotVerify, match=f"case {name!r}.*{told}"):
        read_cases(file)


def test_the_published_schema_refuses_what_the_models_refuse(tmp_path: Path) -> None:
    beyond_schema = {"arguments"}
    for name, (body, _) in WRONG.items():
        wrong = {"cases": [{"name": name, **body}]}
        assert (name in beyond_schema) == jsonschema.Draft202012Validator(SCHEMA).is_valid(wrong), name


def test_the_published_schema_has_every_field_of_the_models() -> None:
    models = CaseFile.model_json_schema(by_alias=True)
    assert models["$defs"].keys() == SCHEMA["$defs"].keys()
    for name, model in models["$defs"].items():
        assert model["properties"].keys() == SCHEMA["$defs"][name]["properties"].keys(), name
        assert model.get("required") == SCHEMA["$defs"][name].get("required"), name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not JSON"),
        ("{}", "cases: Field required"),
        ('{"cases": []}', "cases: List should have at least 1 item"),
        ('{"cases": [{"tool": "a"}]}', "case 1, name: Field required"),
        ('{"cases": [7]}', "case 1: "),
        (
            '{"cases": [{"name": "a", "tool": "a"}, {"name": "a", "tool": "b"}]}',
            "several cases are named 'a'",
        ),
    ],
)
def test_a_file_that_is_none_says_where(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(text)
    with pytest.raises(CannotVerify, match=told):
        read_cases(tmp_path / "cases.json")


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(CannotVerify, match="can't be read"):
        read_cases(tmp_path / "none.json")
    (tmp_path / "cases.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CannotVerify, match="can't be read"):
        read_cases(tmp_path / "cases.json")


def test_cases_that_were_written_are_read_again(tmp_path: Path) -> None:
    answers = [Elicited(action="accept", content={"ok": True}), Text(text="é"), "missing"]
    cases = [Case(name="one", tool="a", arguments={"n": 1}, answers=answers), Case(name="two", prompt="b")]
    write_cases(tmp_path / "cases.json", cases)
    assert read_cases(tmp_path / "cases.json") == cases
    jsonschema.validate(json.loads((tmp_path / "cases.json").read_text()), SCHEMA)


def test_one_case_of_the_command_line_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text('[{"action": "maybe"}]')
    with pytest.raises(CannotVerify, match="case 'tool', answer 1"):
        one_case("tool", "{}", tmp_path / "answers.json")
    with pytest.raises(CannotVerify, match="case 'tool', arguments"):
        one_case("tool", "[]", None)
    with pytest.raises(CannotVerify, match="--args is not JSON"):
        one_case("tool", "{", None)
