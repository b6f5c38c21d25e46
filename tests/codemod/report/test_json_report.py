from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from codemod.report.samples import sample
from mrtr_codemod.model import AskKind, Level, Verdict
from mrtr_codemod.report import json_report
from mrtr_codemod.report.outcome import Outcome

SCHEMA = json.loads(files("mrtr_codemod.report").joinpath("report.schema.json").read_text("utf-8"))


def report(outcome: Outcome) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json_report.render(outcome))
    Draft202012Validator(SCHEMA).validate(document)
    return document


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_knows_every_word_of_the_model() -> None:
    words = SCHEMA["$defs"]
    assert words["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    assert set(words["level"]["enum"]) == {level.value for level in Level}
    assert words["ask"]["properties"]["kind"]["enum"] == [kind.value for kind in AskKind]


def test_the_schema_refuses_what_no_report_holds() -> None:
    document = report(sample())
    document["findings"][0]["level"] = "fatal"
    assert not Draft202012Validator(SCHEMA).is_valid(document)


def test_a_full_report_keeps_to_the_schema() -> None:
    document = report(sample())
    assert document["summary"]["levels"] == {"error": 1, "warning": 2, "info": 3}
    assert document["summary"]["rules"] == {"MRTR101": 3, "MRTR301": 1, "MRTR303": 1, "MRTR310": 1}
    assert document["summary"]["verdicts"] == {"rewrite (review)": 1, "adapter": 1, "by hand": 1}


def test_an_empty_report_keeps_to_the_schema() -> None:
    document = report(Outcome())
    assert document["findings"] == document["handlers"] == document["order"] == []


def test_every_handler_that_asks_is_in_exactly_one_stage() -> None:
    document = report(sample())
    placed = [index for stage in document["order"] for index in stage["handlers"]]
    names = [document["handlers"][index]["name"] for index in placed]
    assert names == ["purge", "plan", "pick_handle"]


def test_a_notebook_place_counts_in_its_cell() -> None:
    assert report(sample())["findings"][0]["place"] == {
        "path": "demo.ipynb",
        "cell": 4,
        "line": 1,
        "column": 16,
        "end_line": 1,
        "end_column": 48,
    }


def test_an_ask_in_a_helper_names_the_call_that_leads_to_it() -> None:
    plan = report(sample())["handlers"][2]
    assert [place["line"] for place in plan["asks"][2]["via"]] == [53]
    assert plan["asks"][2]["place"]["line"] == 9


def test_unbounded_rounds_are_null() -> None:
    outcome = sample()
    endless = replace(outcome.handlers[1], rounds=None)
    assert report(replace(outcome, handlers=(endless,)))["handlers"][0]["rounds"] is None


@pytest.mark.parametrize("path", ["a\u202eb.py", "ü/日本.py", "a\ud800.py", 'q"\\.py'])
def test_odd_paths_come_through(path: str) -> None:
    document = report(sample(path=path))
    assert path in {handler["place"]["path"] for handler in document["handlers"]}
