"""A text is read again when it is needed, and a file that has changed meanwhile is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.discover import Candidate, Files
from mrtr_codemod.project import CHANGED
from mrtr_codemod.shelf import Shelf
from mrtr_codemod.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

ASKS = "from fastmcp import Context\nasync def f(c: Context):\n    await c.elicit('é', bool)\n"


class Memory(Shelf):
    """Counts how often a text is read again."""

    def __init__(self, texts: dict[str, str], room: int) -> None:
        super().__init__(room)
        self.texts = texts
        self.read: list[str] = []

    def read_again(self, path: str) -> str | None:
        self.read.append(path)
        return self.texts.get(path)


def test_as_many_texts_are_kept_as_there_is_room_for() -> None:
    texts = {f"{number}.py": f"x = {number}" * 1_000 for number in range(5)}
    shelf = Memory(texts, room=20_000)
    sources = [SourceFile(path, text, shelf=shelf) for path, text in texts.items()]
    assert [source.text for source in sources[:2]] == list(texts.values())[:2]
    assert not shelf.read
    assert [source.text for source in sources] == list(texts.values())
    assert shelf.read
    assert set(shelf.read) <= set(texts)


def test_a_source_that_comes_from_no_shelf_keeps_its_text() -> None:
    source = SourceFile("x.py", "x = 1\n")
    source.release()
    assert source.lines == ("x = 1",)


def read(path: Path) -> SourceFile:
    path.write_text(ASKS, encoding="utf-8")
    source = Files().read(Candidate("x.py", str(path)))
    assert isinstance(source, SourceFile)
    source.release()
    return source


def test_a_file_is_read_again(tmp_path: Path) -> None:
    source = read(tmp_path / "x.py")
    assert source.text == ASKS
    assert not source.changed


@pytest.mark.parametrize("now", ["x = 1\n", "\0", None])
def test_a_file_that_changes_during_the_check_is_a_failure(tmp_path: Path, now: str | None) -> None:
    source = read(tmp_path / "x.py")
    if now is None:
        (tmp_path / "x.py").unlink()
    else:
        (tmp_path / "x.py").write_text(now)
    other = SourceFile("y.py", ASKS)
    report = check([source, other])
    assert [(failure.path, failure.reason) for failure in report.failures] == [("x.py", CHANGED)]
    assert {finding.span.path for finding in report.findings} == {"y.py"}
