"""The check as a whole: the same report whatever the order and the number of processors, and nothing is executed."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from mrtr_codemod import parallel
from mrtr_codemod.check import Options, check
from mrtr_codemod.model import Failure, Report
from mrtr_codemod.source import SourceFile

CASES = Path(__file__).parents[2] / "cases"


def sources(copies: int = 1) -> list[SourceFile]:
    paths = sorted(CASES.glob("c*.py"))
    return [
        SourceFile(f"copy{number}/{path.name}", path.read_text(encoding="utf-8"))
        for number in range(copies)
        for path in paths
    ] + [SourceFile("broken.py", "ctx.elicit(\n")]


def test_the_order_of_the_sources_does_not_matter() -> None:
    shuffled = sources()
    random.Random(7).shuffle(shuffled)
    assert check(shuffled) == check(sources())


def test_several_processors_find_what_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    reports: list[Report] = []
    for count in (1, 3):
        monkeypatch.setattr(parallel, "_processors", lambda count=count: count)
        reports.append(check(sources(copies=3)))
    assert reports[0] == reports[1]
    assert len(reports[0].findings) > 100


def test_what_fails_in_a_forked_process_fails_here(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    monkeypatch.setattr(parallel, "_processors", lambda: 2)

    def work(number: int) -> int:
        return 1 // (number - 70)

    with pytest.raises(ZeroDivisionError):
        list(parallel.spread(work, range(100)))
    assert list(parallel.spread(abs, range(-100, 0))) == list(range(100, 0, -1))


def test_what_a_forked_process_leaves_undone_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    monkeypatch.setattr(parallel, "_processors", lambda: 3)
    here = os.getpid()

    def work(number: int) -> int:
        if number == 70 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return -number

    assert list(parallel.spread(work, range(100))) == [-number for number in range(100)]


def test_an_error_that_cannot_be_sent_is_told_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    monkeypatch.setattr(parallel, "_processors", lambda: 2)
    here = os.getpid()

    class Local(Exception):
        """Nobody else can import it."""

    def work(number: int) -> int:
        if os.getpid() != here:
            raise Local(number)
        return number

    with pytest.raises(RuntimeError, match="Local"):
        list(parallel.spread(work, range(100)))


def test_the_code_that_is_read_is_not_executed(tmp_path: Path) -> None:
    trace = tmp_path / "executed"
    text = (
        f"open({str(trace)!r}, 'w').close()\nraise SystemExit\n"
        "from fastmcp import Context\nasync def f(c: Context):\n    await c.elicit('?', bool)\n"
    )
    assert {finding.span.line for finding in check([SourceFile("server.py", text)]).findings} == {5}
    assert not trace.exists()


def test_only_the_selected_rules_run() -> None:
    report = check(sources(), Options(select=frozenset({"MRTR303"})))
    assert {finding.rule for finding in report.findings} == {"MRTR303"}
    assert check(sources(), Options(select=frozenset())).findings == []


def test_progress_ends_at_the_number_of_files() -> None:
    steps: list[tuple[int, int]] = []
    check(sources(), Options(progress=lambda done, total: steps.append((done, total))))
    assert steps[-1] == (len(sources()), len(sources()))
    assert steps == sorted(steps)


def test_a_broken_file_is_among_the_failures_once() -> None:
    (failure,) = check(sources()).failures
    assert isinstance(failure, Failure)
    assert failure.path == "broken.py"


def test_an_empty_repo_is_clean() -> None:
    assert check([]) == Report()
