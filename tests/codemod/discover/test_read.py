from __future__ import annotations

import codecs
import io
import os
from typing import TYPE_CHECKING

import pytest

from mrtr_codemod.discover import Candidate, Files, read_stdin
from mrtr_codemod.discover.read import SIZE_LIMIT
from mrtr_codemod.model import Failure
from mrtr_codemod.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path


def text_of(data: bytes) -> str:
    source = read_stdin("x.py", io.BytesIO(data))
    assert isinstance(source, SourceFile), source
    return source.text


def reason_of(data: bytes) -> str:
    failure = read_stdin("x.py", io.BytesIO(data))
    assert isinstance(failure, Failure), failure
    assert failure.path == "x.py"
    return failure.reason


def test_newlines_tabs_and_form_feeds_stay_as_they_are() -> None:
    assert text_of(b"a\r\n\tb\rc\x0cd\n") == "a\r\n\tb\rc\x0cd\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("a", ("a",)),
        ("a\r\nb\rc\n", ("a", "b", "c")),
        ("a\n\n", ("a", "")),
        ("a\x0cb\u2028c\nd", ("a\x0cb\u2028c", "d")),
    ],
)
def test_lines_are_split_where_python_splits_them(text: str, lines: tuple[str, ...]) -> None:
    assert SourceFile("x.py", text).lines == lines


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (codecs.BOM_UTF8 + b"x = 1\n", "x = 1\n"),
        (codecs.BOM_UTF8 + b"# coding: utf-8\n", "# coding: utf-8\n"),
        (b"# -*- coding: latin-1 -*-\n'\xe9'\n", "# -*- coding: latin-1 -*-\n'é'\n"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'\x80'", None),
        (b"# coding: utf-8-unix\n'\xc3\xa9'\n", "# coding: utf-8-unix\n'é'\n"),
        (b"x = 1\n# coding: latin-1\n'\xc3\xa9'\n", "x = 1\n# coding: latin-1\n'é'\n"),
    ],
)
def test_encodings_are_read_by_pep_263(data: bytes, text: str | None) -> None:
    expected = "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'€'" if text is None else text
    assert text_of(data) == expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"ok = 1\nname = '\xe9'\n", "byte 0xe9 in line 2 is not utf-8"),
        (b"# coding: ascii\n'\xc3\xa9'", "is not ascii"),
        (b"\x7fELF\0\0\0", "binary data"),
        (codecs.BOM_UTF16_LE + "x = 1".encode("utf-16-le"), "UTF-16"),
        (b"# coding: klingon\n", "'klingon', which Python does not know"),
        (b"# coding: rot13\n", "'rot13', which Python does not know as text"),
        (b"# coding: punycode\n" + b"a" * 100, "'punycode'"),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", "byte order mark"),
    ],
)
def test_what_is_no_source_is_named_with_its_reason(data: bytes, reason: str) -> None:
    assert reason in reason_of(data)


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.py"
    with huge.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    failure = Files().read(Candidate("huge.py", str(huge)))
    assert isinstance(failure, Failure)
    assert "larger than 8 MiB" in failure.reason
    assert "--exclude" in failure.reason
    assert SIZE_LIMIT < 100 * 1024 * 1024


def test_a_dangling_link_is_a_failure(tmp_path: Path) -> None:
    link = tmp_path / "x.py"
    link.symlink_to("nowhere.py")
    failure = Files().read(Candidate("x.py", str(link)))
    assert failure == Failure("x.py", "cannot be read: No such file or directory")


def test_a_link_to_itself_is_a_failure(tmp_path: Path) -> None:
    link = tmp_path / "x.py"
    link.symlink_to("x.py")
    failure = Files().read(Candidate("x.py", str(link)))
    assert isinstance(failure, Failure)
    assert failure.reason.startswith("cannot be read:")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_does_not_hang_the_run(tmp_path: Path) -> None:
    pipe = tmp_path / "x.py"
    os.mkfifo(pipe)
    assert Files().read(Candidate("x.py", str(pipe))) == Failure("x.py", "is not a regular file")
