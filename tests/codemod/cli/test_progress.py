"""The progress line of long runs."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest

from mrtr_codemod.cli import progress
from mrtr_codemod.cli.progress import Progress


class Terminal(io.StringIO):
    """A standard error that is a terminal, and a clock that stands until it is moved."""

    now = 0.0
    interactive = True

    def isatty(self) -> bool:
        return self.interactive


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr(progress.time, "monotonic", lambda: terminal.now)
    return terminal


def test_a_short_run_shows_nothing(terminal: Terminal) -> None:
    with Progress("checking", terminal) as bar:
        bar(1, 2)
    assert terminal.getvalue() == ""


def test_a_long_run_shows_how_far_it_is_and_cleans_up(terminal: Terminal) -> None:
    with Progress("checking", terminal) as bar:
        terminal.now = 1.5
        bar(1000, 4000)
        bar(1001, 4000)
        terminal.now = 2.0
        bar(2000, 4000)
    assert terminal.getvalue().split("\r\x1b[2K") == [
        "",
        "checking [######------------------] 1,000/4,000",
        "checking [############------------] 2,000/4,000",
        "",
    ]


def test_a_run_that_is_known_to_be_long_shows_it_at_once(terminal: Terminal) -> None:
    with Progress("checking", terminal, at_once=True) as bar:
        bar(0, 4000)
    assert "0/4,000" in terminal.getvalue()


def test_a_pipe_gets_none(terminal: Terminal) -> None:
    terminal.interactive = False
    with Progress("checking", terminal) as bar:
        terminal.now = 9.0
        bar(1, 1)
    assert terminal.getvalue() == ""


def test_it_is_erased_when_the_run_fails(terminal: Terminal) -> None:
    with suppress(ValueError), Progress("checking", terminal) as bar:
        terminal.now = 9.0
        bar(0, 0)
        raise ValueError
    assert terminal.getvalue().endswith("\r\x1b[2K")
