from __future__ import annotations

from codemod.report.samples import sample
from mrtr_codemod.model import Failure, Finding, Level, Span
from mrtr_codemod.report import github
from mrtr_codemod.report.outcome import Outcome


def test_each_level_has_its_command_and_place() -> None:
    lines = github.render(sample()).splitlines()
    assert lines[0] == "::notice file=demo.ipynb,title=mrtr (MRTR101)::cell 4 line 1: MRTR101 asks by form"
    assert lines[1] == (
        "::warning file=src/files.py,line=18,endLine=18,col=16,endColumn=42,title=mrtr (MRTR301)"
        "::MRTR301 take_snapshot() runs again in every round"
    )
    assert lines[3].startswith("::error file=src/files.py,line=23,")
    assert lines[-1].startswith("::error file=src/old.py,title=mrtr::not checked: is Python 2")


def test_a_message_cannot_start_a_command_or_end_a_property() -> None:
    finding = Finding("MRTR301", Level.ERROR, "100%\r\n::stop-commands::x", Span("a,b:c%\n.py", 1, 1, 2, 1))
    failure = Failure("x\n::set-output::", "y\n::error::z")
    shown = github.render(Outcome(1, (finding,), failures=(failure,)))
    assert shown == (
        "::error file=a%2Cb%3Ac%25%0A.py,line=1,endLine=2,title=mrtr (MRTR301)"
        "::MRTR301 100%25%0D%0A::stop-commands::x\n"
        "::error file=x%0A%3A%3Aset-output%3A%3A,title=mrtr::not checked: y%0A::error::z\n"
    )


def test_a_clean_run_says_nothing() -> None:
    assert github.render(Outcome(files=3)) == ""
