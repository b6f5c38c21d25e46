from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from codemod.report.samples import SERVER, sample
from mrtr_codemod.report import sarif
from mrtr_codemod.report.outcome import Outcome

# The schema of the standard, as the npm package @microsoft/jest-sarif 1.0.0-beta.0 (MIT) ships it.
SCHEMA = json.loads(Path(__file__).with_name("sarif-2.1.0-rtm.5.schema.json").read_text("utf-8"))


def run_of(outcome: Outcome) -> dict[str, Any]:
    log = json.loads(sarif.render(outcome))
    Draft4Validator(SCHEMA).validate(log)
    run: dict[str, Any] = log["runs"][0]
    return run


def fingerprints(outcome: Outcome) -> set[str]:
    return {result["partialFingerprints"][sarif.FINGERPRINT] for result in run_of(outcome)["results"]}


def test_a_full_and_an_empty_log_keep_to_the_standard() -> None:
    assert len(run_of(sample())["results"]) == 7
    assert run_of(Outcome())["results"] == []


def test_the_schema_refuses_what_the_standard_forbids() -> None:
    log = json.loads(sarif.render(sample()))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not Draft4Validator(SCHEMA).is_valid(log)


def test_a_result_points_at_its_rule_by_index() -> None:
    run = run_of(sample())
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert all(rule["help"]["markdown"].startswith("## What it does") for rule in rules)


def test_a_result_says_where_in_which_handler_and_what_else_to_look_at() -> None:
    result = next(result for result in run_of(sample())["results"] if result["ruleId"] == "MRTR303")
    location = result["locations"][0]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "src/files.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 23, "startColumn": 5, "endLine": 23, "endColumn": 22},
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "purge", "kind": "function"}]
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 20
    assert result["level"] == "error"


def test_a_suppressed_finding_is_there_with_its_reason() -> None:
    results = run_of(sample())["results"]
    suppressed = [result for result in results if "suppressions" in result]
    assert [result["suppressions"] for result in suppressed] == [
        [{"kind": "inSource", "justification": "sampling stays for now"}]
    ]


def test_what_was_not_checked_makes_the_run_unsuccessful() -> None:
    invocation = run_of(sample())["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert "src/old.py was not checked" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert run_of(Outcome())["invocations"][0]["executionSuccessful"] is True


def test_a_notebook_finding_names_cell_and_line_in_words_and_the_line_of_the_json() -> None:
    result = run_of(sample())["results"][0]
    assert result["message"]["text"] == "cell 4 line 1: asks by form"
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 31, "endLine": 31}


def test_fingerprints_are_distinct_and_survive_moved_lines() -> None:
    before = fingerprints(sample())
    assert len(before) == 7
    assert fingerprints(sample("# A new comment.\n\n\n" + SERVER)) == before


def test_a_fingerprint_changes_with_the_line() -> None:
    changed = SERVER.replace("while attempts < 3:", "while attempts < 3:  # three")
    assert len(fingerprints(sample()) - fingerprints(sample(changed))) == 1


def test_equal_findings_get_different_fingerprints() -> None:
    outcome = sample()
    twice = replace(outcome, findings=(outcome.findings[1], outcome.findings[1]), suppressed=())
    assert len(fingerprints(twice)) == 2


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b#c?.py", "a%20b%23c%3F.py"),
        ("ü.py", "%C3%BC.py"),
        ("/tmp/x.py", "file:///tmp/x.py"),
        ("a\ud800.py", "a%5Cud800.py"),
    ],
)
def test_paths_become_uris(path: str, uri: str) -> None:
    results = run_of(sample(path=path))["results"]
    assert uri in {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
