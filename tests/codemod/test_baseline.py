from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrtr_codemod.baseline import BaselineError, read_baseline, write_baseline
from mrtr_codemod.model import Finding, Level, Span
from mrtr_codemod.source import SourceFile
from mrtr_codemod.triage import By, Triage

TEXT = "a = 1\nask(a)\nask(a)\nask(b)\n"


@pytest.fixture(autouse=True)
def _in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sources(text: str, path: str = "src/x.py") -> dict[str, SourceFile]:
    return {path: SourceFile(path, text)}


def findings(text: str, path: str = "src/x.py") -> tuple[Finding, ...]:
    """One finding on each line that asks."""
    lines = text.split("\n")
    return tuple(
        Finding("MRTR101", Level.WARNING, f"at line {number}", Span(path, number, 1, number, 4), "f")
        for number, line in enumerate(lines, 1)
        if line.strip().startswith("ask")
    )


def left(text: str, path: str = "src/x.py") -> list[int]:
    """The lines of the findings that the baseline does not accept."""
    triage = read_baseline("base.json").apply(Triage(findings(text, path), ()), sources(text, path))
    assert all(item.by is By.BASELINE for item in triage.suppressed)
    return [finding.span.line for finding in triage.active]


def accept(text: str = TEXT) -> None:
    write_baseline("base.json", findings(text), sources(text))


def test_what_is_accepted_is_no_longer_found() -> None:
    accept()
    assert left(TEXT) == []


def test_it_survives_moved_and_reindented_lines() -> None:
    accept()
    assert left("import os\n\n\n" + TEXT.replace("ask", "\t ask")) == []
    assert left(TEXT.replace("\n", "\r\n")) == []


def test_a_new_finding_is_found_though_it_looks_like_an_accepted_one() -> None:
    accept()
    assert left(TEXT + "ask(a)\n") == [5]
    assert left(TEXT.replace("ask(b)", "ask(c)")) == [4]


def test_another_file_is_not_accepted() -> None:
    accept()
    assert left(TEXT, "src/y.py") == [2, 3, 4]


def test_paths_are_those_seen_from_the_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accept()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    triage = read_baseline("../base.json").apply(Triage(findings(TEXT, "x.py"), ()), sources(TEXT, "x.py"))
    assert triage.active == ()


def test_it_is_readable_and_the_same_each_time() -> None:
    accept()
    first = Path("base.json").read_bytes()
    accept()
    assert Path("base.json").read_bytes() == first
    assert json.loads(first) == {
        "version": 1,
        "findings": [
            {"path": "src/x.py", "rule": "MRTR101", "handler": "f", "text": "ask(a)", "count": 2},
            {"path": "src/x.py", "rule": "MRTR101", "handler": "f", "text": "ask(b)"},
        ],
    }


def test_gone_findings_are_counted_where_the_run_looked() -> None:
    accept()
    text = "ask(a)\n"
    baseline = read_baseline("base.json")
    triage = baseline.apply(Triage(findings(text), ()), sources(text))
    assert baseline.stale(triage, sources(text), lambda entry: entry.path == "src/x.py") == 2
    assert baseline.stale(triage, sources(text), lambda entry: False) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        "7",
        '{"version": 2, "findings": []}',
        '{"version": 1, "findings": [{}]}',
        '{"version": 1, "findings": 7}',
        '{"version": 1, "findings": [{"path": 1, "rule": 2, "text": 3, "count": "x"}]}',
        "\ufeff{}",
        "[" * 100_000,
    ],
)
def test_what_is_no_baseline_is_refused_with_advice(text: str) -> None:
    Path("base.json").write_text(text, "utf-8")
    with pytest.raises(
        BaselineError, match=r"base\.json: is not a baseline; make it anew with --write-baseline"
    ):
        read_baseline("base.json")


def test_a_missing_baseline_says_how_to_make_one() -> None:
    with pytest.raises(BaselineError, match=r"nowhere\.json: No such file.*--write-baseline nowhere\.json"):
        read_baseline("nowhere.json")


def test_a_place_that_cannot_be_written_is_named() -> None:
    with pytest.raises(BaselineError, match=r"no/base\.json: cannot be written"):
        write_baseline("no/base.json", (), {})
