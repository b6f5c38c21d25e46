"""The pages that are made from the code are what comes out of it today."""

from __future__ import annotations

import pytest

from docs.blocks import GENERATED, ROOT
from docs.making import made
from mrtr_adapter.cli import COMMANDS
from mrtr_codemod.rules import all_rules


def test_these_pages_are_made() -> None:
    assert {f"docs/{name}" for name in made()} == set(GENERATED)


@pytest.mark.parametrize("name", ["api.md", "commands.md", "rules.md"])
def test_it_is_current(name: str) -> None:
    text = (ROOT / "docs" / name).read_text()
    assert text == made()[name], "make it anew: python tests/docs/making.py"


def test_no_rule_and_no_command_is_missing() -> None:
    rules, commands = made()["rules.md"], made()["commands.md"]
    assert all(f"### {rule.code} {rule.name} " in rules for rule in all_rules())
    assert all(f"## {name}\n" in commands for name in COMMANDS)
