"""What belongs to the samples' servers is what the commands make of them today."""

from __future__ import annotations

import pytest

from samples.making import NAMES, SAMPLES, kept, made

REWRITTEN = {"booking", "cleaner", "connect", "deploy", "summary", "wizard"}
LEFT = {"mailroom"}


def test_these_are_the_samples() -> None:
    assert set(NAMES) == REWRITTEN | LEFT


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_the_commands_make(name: str) -> None:
    files = made(name)
    assert {path: kept(path) for path in files} == files, "make them anew: python tests/samples/making.py"


def test_nothing_else_was_made_once() -> None:
    expected = {path for name in NAMES for path in made(name)}
    found = {f"rewritten/{file.name}" for file in (SAMPLES / "rewritten").glob("*.py")}
    found |= {f"{name}/{file.name}" for name in NAMES for file in (SAMPLES / name).glob("upgraded.py")}
    assert found <= expected


@pytest.mark.parametrize("name", sorted(REWRITTEN))
def test_every_handler_is_rewritten(name: str) -> None:
    after = kept(f"rewritten/{name}.py")
    assert "# mrtr: manual[" not in after
    assert "from mrtr_steps" in after


@pytest.mark.parametrize("name", sorted(LEFT))
def test_what_cannot_be_split_is_left_as_it_is(name: str) -> None:
    after = kept(f"rewritten/{name}.py").splitlines()
    unmarked = [line for line in after if not line.startswith("# mrtr: manual[")]
    assert len(unmarked) < len(after)
    assert unmarked == (SAMPLES / name / "server.py").read_text().splitlines()


def test_the_table_of_samples_has_them_all() -> None:
    table = (SAMPLES / "README.md").read_text()
    for name in NAMES:
        assert f"| [{name}]({name}/server.py) |" in table
