"""Case files: what is wrong with one is said by line and place, and its published schema takes what is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mrtr_adapter.serving.refusal import CannotServe
from mrtr_adapter.verify import cases as case_files
from mrtr_adapter.verify.answers import Elicited, Text
from mrtr_adapter.verify.cases import Case, CaseFile, one_case, read_cases, write_cases

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
WRONG: dict[str, tuple[Any, list[str]]] = {
    "two things": ({"tool": "a", "prompt": "b"}, ["cases[1]: name one of tool, prompt and resource"]),
    "nothing": ({"answers": []}, ["cases[1]: name one of tool, prompt and resource"]),
    "an answer": (
        {"tool": "a", "answers": [{"action": "accept"}, {"yes": 1}]},
        ['cases[1].answers[1]: is no answer: write {"action": "accept", "content": {…}}, '],
    ),
    "a word": ({"tool": "a", "answers": ["absent"]}, ["cases[1].answers[0]: is no answer: write "]),
    "an action": (
        {"tool": "a", "answers": [{"action": "maybe"}]},
        ["cases[1].answers[0].action: must be 'accept', 'decline' or 'cancel', not \"maybe\""],
    ),
    "a root": (
        {"tool": "a", "answers": [{"roots": [{"url": "file:///a"}]}]},
        [
            "cases[1].answers[0].roots[0].uri: is missing",
            "cases[1].answers[0].roots[0].url: there is no such field; did you mean uri?",
        ],
    ),
    "a text": (
        {"tool": "a", "answers": [{"text": 7}]},
        ["cases[1].answers[0].text: must be a string, not 7"],
    ),
    "a message": (
        {"tool": "a", "answers": [{"content": 7, "model": None}]},
        [
            "cases[1].answers[0].content: must be an object or a list, not 7",
            "cases[1].answers[0].model: must be a string, not null",
        ],
    ),
    "a field": (
        {"tool": "a", "argument": {}},
        ["cases[1].argument: there is no such field; did you mean arguments?"],
    ),
    "no field at all": (
        {"tool": "a", "zzz": {}},
        ["cases[1].zzz: there is no such field; there are name, tool, prompt, "],
    ),
    "a kind": ({"tool": "a", "arguments": []}, ["cases[1].arguments: must be an object, not []"]),
    "arguments": ({"resource": "a://b", "arguments": {"a": 1}}, ["cases[1]: a resource has no arguments"]),
    "several": (
        {"tool": 7, "allow_repeat": "perhaps", "answers": ["absent"]},
        [
            "cases[1].tool: must be a string, not 7",
            "cases[1].answers[0]: is no answer",
            'cases[1].allow_repeat: must be true or false, not "perhaps"',
        ],
    ),
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
def test_each_mistake_is_a_line_with_its_place_and_what_is_expected(name: str, tmp_path: Path) -> None:
    body, expected = WRONG[name]
    file = written(tmp_path, {"name": "fine", "tool": "a"}, {"name": name, **body})
    with pytest.raises(CannotServe) as refused:
        read_cases(file)
    told = str(refused.value).splitlines()
    assert len(told) == len(expected)
    for line, start in zip(told, expected, strict=True):
        assert line.startswith(f"{file}, line 1: {start}")


def test_a_mistake_is_told_by_the_line_that_it_stands_in(tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(
        '{"cases": [\n'
        '  {"name": "[{", "tool": "a",\n'
        '   "answers": [\n'
        '     {"action": "accept", "content": {"action": ["maybe", {}]}},\n'
        '     {"action":\n'
        '        "maybe"}]},\n'
        '  {"tool": "b"}]}\n'
    )
    with pytest.raises(CannotServe) as refused:
        read_cases(tmp_path / "cases.json")
    lines = [line.removeprefix(f"{tmp_path}/cases.json, ") for line in str(refused.value).splitlines()]
    assert lines == [
        "line 6: cases[0].answers[1].action: must be 'accept', 'decline' or 'cancel', not \"maybe\"",
        "line 7: cases[1].name: is missing",
    ]


def test_a_file_full_of_mistakes_tells_the_first_of_them(tmp_path: Path) -> None:
    with pytest.raises(CannotServe) as refused:
        read_cases(written(tmp_path, *({"tool": "a"} for _ in range(50))))
    told = str(refused.value).splitlines()
    assert len(told) == 21
    assert told[-1] == "and 30 more like these"


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
        ("{", "cases.json, line 1: this is not JSON: "),
        (
            '{"cases":\n[{"name" 7}]}',
            "cases.json, line 2: this is not JSON: Expecting ':' delimiter (column 10)",
        ),
        ("[" * 200_000, "cases.json can't be read: it is nested too deeply"),
        ("9" * 5000, "cases.json can't be read: Exceeds the limit"),
        ('{"cases": [NaN]}', "cases.json can't be read: JSON has no NaN"),
        ('{"cases": [-Infinity]}', "cases.json can't be read: JSON has no -Infinity"),
        ('{"cases": [1e999]}', "cases.json can't be read: 1e999 is too large a number"),
        ('{"cases": ' + "[" * 500 + "]" * 501, "cases.json, line 1: this is not JSON"),
        ('{"cases": ' + "[" * 500 + "]" * 500 + "}", "cases.json can't be read: it is nested too deeply"),
        ('{"cases": ["\\ud800"]}', "or has half a surrogate pair"),
        (
            '{"cases": [],\n"cases": [\n{"name": "a", "tool": "a",\n"frob": 1}]}',
            "line 4: cases[0].frob: there is no such field",
        ),
        ("[]", "line 1: must be an object, not []"),
        ("{}", "line 1: cases: is missing"),
        ('{"cases": []}', "line 1: cases: must not be empty"),
        ('{"cases": [{"tool": "a"}]}', "line 1: cases[0].name: is missing"),
        ('{"cases": [{"name": "", "tool": "a"}]}', "line 1: cases[0].name: must not be empty"),
        ('{"cases": [7]}', "line 1: cases[0]: must be an object, not 7"),
        (
            '{"cases": [{"name": "a", "tool": "a"},\n{"name": "a", "tool": "b"}]}',
            "line 2: cases[0] is named 'a' as well",
        ),
    ],
)
def test_a_file_that_is_none_says_where(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text(text)
    with pytest.raises(CannotServe) as refused:
        read_cases(tmp_path / "cases.json")
    assert told in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_only_mistakes_that_are_told_are_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = []

    def line_of(text: str, place: object) -> int:
        looked_up.append(place)
        return 1

    monkeypatch.setattr(case_files, "line_of", line_of)
    (tmp_path / "cases.json").write_text(json.dumps({"cases": [{"name": "a", "tool": 7}] * 1000}))
    with pytest.raises(CannotServe, match="and 980 more like these"):
        read_cases(tmp_path / "cases.json")
    assert len(looked_up) == 20


def test_the_mark_that_an_editor_puts_first_is_passed_over(tmp_path: Path) -> None:
    file = written(tmp_path, {"name": "a", "tool": "a"})
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert [case.name for case in read_cases(file)] == ["a"]


def test_cases_that_were_written_are_read_again(tmp_path: Path) -> None:
    answers = [Elicited(action="accept", content={"ok": True}), Text(text="é"), "missing"]
    cases = [Case(name="one", tool="a", arguments={"n": 1}, answers=answers), Case(name="two", prompt="b")]
    write_cases(tmp_path / "cases.json", cases)
    assert read_cases(tmp_path / "cases.json") == cases
    jsonschema.validate(json.loads((tmp_path / "cases.json").read_text()), SCHEMA)


@pytest.mark.parametrize("text", ["[1]", "7", "{", "{invoice: 7}", "", "[" * 200_000, "9" * 5000])
def test_arguments_that_are_no_object_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(CannotServe, match="--args") as refused:
        one_case("tool", text, None)
    assert """--args '{"invoice": 7}'""" in str(refused.value)


def test_answers_of_the_command_line_are_told_like_those_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text('[\n  {"action": "maybe"}]')
    with pytest.raises(CannotServe, match=r"answers.json, line 2: \[0\].action: must be 'accept'"):
        one_case("tool", "{}", tmp_path / "answers.json")
    (tmp_path / "answers.json").write_text("{}")
    with pytest.raises(CannotServe, match=r"answers.json, line 1: must be a list, not {}"):
        one_case("tool", "{}", tmp_path / "answers.json")
