"""The machine formats are valid, and say the same as the text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click import unstyle

from adapter.verify.servers import NO, SHOP, case, verify
from mrtr_adapter.engine.question import ELICIT, Question
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.explore.left_out import LeftOut
from mrtr_adapter.verify.explore.reach import Reach
from mrtr_adapter.verify.hazards import Hazard
from mrtr_adapter.verify.report import json_report, junit, text
from mrtr_adapter.verify.report.outcome import Outcome
from mrtr_adapter.verify.runs import Asked, Difference, Run
from mrtr_adapter.verify.runs import Outcome as Ending
from mrtr_adapter.verify.verification import Finding

WILD = "\x1b[31mred\x00 \ud800 <&> \u202e"
"""What a server may say."""


def finding(name: str, *differences: Difference, reason: str | None = None) -> Finding:
    made = Finding(Case(name=name, tool="refund"), reason=reason)
    if reason is None:
        asked = [Asked(Question.of(ELICIT, {"message": WILD}), 1)]
        ending = Ending("result", {"content": [{"type": "text", "text": WILD}]})
        made.native = Run("native", ending, asked, rounds=1)
        made.others = [Run("adapted", ending, asked, rounds=2)]
        made.differences = {"adapted": list(differences)}
    return made


DIFFERENT = Difference("effect repeated", "effect open a.txt", "once", "3 times")


@pytest.fixture
def outcome() -> Outcome:
    different = finding("paid", DIFFERENT, Difference("result", "result", WILD, "other"))
    different.hazards = [
        Hazard("effect repeated", "adapted", "open a.txt (s.py:3)", "3 times, natively once")
    ]
    findings = [finding("fine"), different, finding("gone \x1b", reason="there is no tool")]
    return Outcome("server.py", None, findings, [Reach("tidy", 1, 4, 3, 5, (7, 8), ((6, 7), (6, -5)))])


def test_junit_is_well_formed_whatever_the_server_says(outcome: Outcome) -> None:
    suite = ElementTree.fromstring(junit.render(outcome).encode()).find("testsuite")
    assert suite is not None
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", "1", "1", "0"]
    fine, different, gone = suite.findall("testcase")
    assert [child.tag for child in fine] == []
    assert [child.tag for child in different] == ["failure", "system-out"]
    assert different.get("classname") == "server.py.refund"
    failure = different.find("failure")
    assert failure is not None
    assert "adapted, effect open a.txt: natively 'once', here '3 times'" in str(failure.text)
    error = gone.find("error")
    assert error is not None
    assert error.get("message") == "there is no tool"


def test_json_has_the_verdict_of_every_case(outcome: Outcome) -> None:
    told = json.loads(json_report.render(outcome))
    assert told["version"] == json_report.VERSION
    assert [case["verdict"] for case in told["cases"]] == ["equal", "different", "could not run"]
    assert told["summary"] == {"equal": 1, "different": 1, "unsteady": 0, "could_not_run": 1}
    assert told["hazards"][0]["cases"] == ["paid"]
    assert told["cases"][1]["differences"]["adapted"][0]["kind"] == "effect repeated"
    assert told["reached"][0]["missing_lines"] == [7, 8]
    json_report.render(outcome).encode()


def test_the_table_shows_nothing_that_steers_a_terminal(outcome: Outcome) -> None:
    shown = text.render(outcome, color=False)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown == unstyle(text.render(outcome, color=True))
    assert "  tidy: 1/4 branches, 3/5 lines; never line 7, 8; never from 6 to the end" in shown


def test_the_same_difference_in_several_cases_is_shown_once() -> None:
    outcome = Outcome("server.py", None, [finding("one", DIFFERENT), finding("two", DIFFERENT)])
    shown = text.render(outcome, color=False)
    assert shown.count("effect open a.txt") == 1
    assert "\none\ntwo\n" in shown


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [(["equal"], 0), (["equal", "could not run"], 2), (["could not run", "different"], 1)],
)
def test_the_exit_status(verdicts: list[str], status: int) -> None:
    made = {
        "equal": finding("a"),
        "different": finding("b", DIFFERENT),
        "could not run": finding("c", reason="x"),
    }
    assert Outcome("server.py", None, [made[verdict] for verdict in verdicts]).status == status


def test_the_table_is_aligned_whatever_stands_in_it(tmp_path: Path) -> None:
    long = Difference("result", "result", "word " * 30, "宽字符" * 20)
    shown = text.render(Outcome("server.py", None, [finding("wide", long)]), color=False)
    assert "word word" in shown
    assert max(len(line) for line in shown.splitlines()) < 140


def test_the_report_goes_where_it_is_told_to(tmp_path: Path) -> None:
    ended = verify(
        tmp_path, SHOP, [case("kept", NO)], "--format", "junit", "--output", str(tmp_path / "r.xml")
    )
    assert (ended.status, ended.out) == (0, "")
    assert ElementTree.parse(tmp_path / "r.xml").find("testsuite/testcase") is not None
    ended = verify(tmp_path, SHOP, [case("kept", NO)], "--output", str(tmp_path))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.splitlines()[-1].startswith(f"mrtr verify: {tmp_path}: cannot be written: ")


def test_what_was_left_out_is_told_by_its_reason(outcome: Outcome) -> None:
    left_out = LeftOut(("drop",), ("add", "find \x1b"), ("code",))
    shown = text.render(replace(outcome, left_out=left_out), color=False)
    assert "  drop: there is more to try" in shown
    assert "  add, find " in shown
    assert "\x1b" not in shown
    assert "  code: not called" in shown
    assert "Left out" not in text.render(outcome, color=False)
    assert json.loads(json_report.render(outcome))["left_out"] == {
        "unfinished": [],
        "silent": [],
        "uncalled": [],
    }


def test_two_native_runs_are_shown_side_by_side() -> None:
    made = finding("at noon")
    made.unsteady = [Difference("result", "result", "12:00", "12:01")]
    outcome = Outcome("server.py", None, [made])
    shown = text.render(outcome, color=False)
    assert shown.startswith("unsteady       at noon  (")
    assert "native again" in shown
    assert "12:01" in shown
    assert shown.endswith("1 case: 1 unsteady.\n")
    assert outcome.status == 2
