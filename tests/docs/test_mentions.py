"""What the pages mention in passing exists: commands, options, headings, rules, names, samples."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

import mrtr_adapter
from docs.blocks import GENERATED, PAGES, ROOT
from mrtr_adapter.cli import COMMANDS, mrtr
from mrtr_codemod.cli.rulebook import rulebook
from mrtr_codemod.model import Verdict

WRITTEN = [page for page in PAGES if page not in GENERATED]


def text_of(page: str) -> str:
    return (ROOT / page).read_text()


def options() -> Iterator[str]:
    context = click.Context(mrtr)
    for name in mrtr.list_commands(context):
        command = mrtr.get_command(context, name)
        assert command is not None
        for parameter in command.get_params(click.Context(command)):
            yield from parameter.opts


@pytest.mark.parametrize("page", WRITTEN)
def test_options_and_commands_exist(page: str) -> None:
    text = text_of(page)
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+\b", text)) <= set(options())
    assert set(re.findall(r"`mrtr ([a-z]+)", text)) | set(
        re.findall(r"^\$ mrtr ([a-z]+)", text, re.MULTILINE)
    ) <= {*COMMANDS}


@pytest.mark.parametrize("page", WRITTEN)
def test_rules_exist(page: str) -> None:
    codes = set(rulebook())
    for mentioned in re.findall(r"MRTR\d+", text_of(page)):
        assert any(code.startswith(mentioned) for code in codes)


def test_choosing_explains_each_verdict_of_the_lint() -> None:
    table = text_of("docs/choosing.md").partition("| verdict | means |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)[1:] == [verdict.value for verdict in Verdict]


@pytest.mark.parametrize("page", WRITTEN)
def test_what_is_imported_is_public(page: str) -> None:
    for names in re.findall(r"from mrtr_adapter import (.+)", text_of(page)):
        assert set(names.split(", ")) <= set(mrtr_adapter.__all__)


def test_links_to_headings_find_them() -> None:
    for page in PAGES:
        for target, heading in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text_of(page)):
            there = (ROOT / page).parent / target if target else ROOT / page
            assert heading in {_anchor(line) for line in there.read_text().splitlines() if line[:1] == "#"}, (
                page
            )


def _anchor(line: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
    return words.replace(" ", "-")
