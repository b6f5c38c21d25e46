"""How rewritten code reads: the whole of one file. A change here is a change that users will see."""

from __future__ import annotations

from pathlib import Path

from .rewriting import rewritten

HERE = Path(__file__).parent


def test_the_desk_reads_as_a_person_would_have_written_it() -> None:
    source = (HERE.parents[1] / "golden" / "before.py").read_text()
    assert rewritten(source).after == (HERE / "snapshots" / "desk.txt").read_text()
