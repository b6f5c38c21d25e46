"""`mrtr explain` and `mrtr rules`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mrtr_adapter.cli import mrtr
from mrtr_codemod.cli.rulebook import rulebook
from mrtr_codemod.report.rulebook import RuleDoc
from mrtr_codemod.rules import all_rules

RULES = list(rulebook().values())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(mrtr, arguments)


def test_the_rulebook_has_every_rule_once_in_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert {"MRTR001", "MRTR002", *(rule.code for rule in all_rules())} == set(codes)


def test_rules_lists_all_one_a_line() -> None:
    lines = run("rules").stdout.splitlines()
    assert [line[:7] for line in lines] == [rule.code for rule in RULES]
    assert all(rule.summary in line for rule, line in zip(RULES, lines, strict=True))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_explain_has_the_four_headings_and_the_reference(rule: RuleDoc) -> None:
    shown = run("explain", rule.code).stdout
    assert shown.startswith(f"{rule.code} {rule.name} ({rule.level.value})\n\n")
    assert " ".join(rule.summary.split()) in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 120
    titles = ["What it does", "Why is this bad", "Example", "What to do", "Reference: https://"]
    places = [shown.index(title) for title in titles]
    assert places == sorted(places)
    assert "```" not in shown


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_no_section_is_empty(rule: RuleDoc) -> None:
    assert all(body.strip() for _, body in rule.sections)


def test_a_rule_may_be_named_in_words_or_small_letters() -> None:
    assert run("explain", "unused-suppression").stdout == run("explain", "mrtr002").stdout
    assert run("explain", "MRTR001", "MRTR002").stdout.count("What it does") == 2


def test_the_manual_names_rules_that_exist() -> None:
    manual = (Path(__file__).parents[3] / "docs" / "lint.md").read_text("utf-8")
    named = set(re.findall(r"MRTR\d{3}", manual))
    assert named
    assert named <= {rule.code for rule in RULES}


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("unused-supression", "did you mean MRTR002 (unused-suppression)? "),
        ("MRTR999", "did you mean MRTR"),
        ("zzz", ""),
    ],
)
def test_an_unknown_rule_gets_the_nearest_and_where_all_are(given: str, near: str) -> None:
    result = run("explain", given)
    assert result.exit_code == 2
    assert f"{given!r} is no rule; {near}" in result.stderr
    assert result.stderr.endswith("`mrtr rules` lists them all\n")
