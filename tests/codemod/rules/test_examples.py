"""Each rule keeps what its own examples promise."""

from __future__ import annotations

from typing import Any

import pytest

from mrtr_codemod.check import Options, check
from mrtr_codemod.rules import Rule, all_rules
from mrtr_codemod.rules.base import Example
from mrtr_codemod.source import SourceFile


def _sources(example: Example) -> list[SourceFile]:
    files = {"example.py": example} if isinstance(example, str) else example
    return [SourceFile(path, text) for path, text in files.items()]


def _examples(kind: str) -> list[Any]:
    return [
        pytest.param(rule, example, id=f"{rule.code}-{number}")
        for rule in all_rules()
        for number, example in enumerate(getattr(rule, kind))
    ]


def _hits(rule: Rule, example: Example) -> list[str]:
    report = check(_sources(example), Options(select=frozenset({rule.code})))
    assert not report.failures
    return [finding.message for finding in report.findings]


@pytest.mark.parametrize(("rule", "example"), _examples("invalid"))
def test_an_invalid_example_is_found(rule: Rule, example: Example) -> None:
    assert _hits(rule, example)


@pytest.mark.parametrize(("rule", "example"), _examples("valid"))
def test_a_valid_example_stays_silent(rule: Rule, example: Example) -> None:
    assert _hits(rule, example) == []


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_is_documented_and_has_both_kinds_of_example(rule: Rule) -> None:
    assert rule.valid
    assert rule.invalid
    for text in (rule.name, rule.summary, rule.what, rule.why, rule.example, rule.remedy):
        assert text.strip()
    assert rule.reference.startswith("https://")
    assert rule.summary.endswith(".")
