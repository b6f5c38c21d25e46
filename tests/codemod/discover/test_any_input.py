"""Whatever a file holds, reading it ends in a source or in a failure with a reason."""

from __future__ import annotations

import ast
import io
import json

from hypothesis import given
from hypothesis import strategies as st

from mrtr_codemod.discover import read_stdin
from mrtr_codemod.model import Failure, Span
from mrtr_codemod.report.html.markup import tag
from mrtr_codemod.report.snippet import snippet
from mrtr_codemod.report.visible import visible, width
from mrtr_codemod.source import SourceFile
from mrtr_codemod.suppress import find_suppressions

CODECS = st.sampled_from(
    ["utf-8", "latin-1", "utf-7", "cp1252", "utf-16", "shift_jis", "hex", "zlib", "mbcs", "x"]
)
ODD_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
SUPPRESSION = "# mrtr: ignore[MRTR301] -- why"
PIECES = [
    SUPPRESSION,
    "# mrtr: ignore",
    "@",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "  ",
    "\x0c",
    "\x00",
    "\u2028",
    "é",
    "\\",
]
PIECES += ["def f():", "async ", "if x:", "x = 1", ":", "'''", '"', "(", ")", "0x", "f'{"]
PYTHON_LIKE = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "worksheets", "metadata", "input"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.binary(), CODECS)
def test_any_bytes(data: bytes, codec: str) -> None:
    for body in (data, f"# coding: {codec}\n".encode() + data):
        source = read_stdin("x.py", io.BytesIO(body))
        assert isinstance(source, SourceFile) or (isinstance(source, Failure) and source.reason)


@given(JSON)
def test_any_json_as_a_notebook(document: object) -> None:
    source = read_stdin("x.ipynb", io.BytesIO(json.dumps(document).encode()))
    if isinstance(source, SourceFile):
        assert len(source.cells) == len(source.lines)
    else:
        assert isinstance(source, Failure)


@given(st.lists(PYTHON_LIKE, max_size=3))
def test_any_cells(cells: list[str]) -> None:
    made = {"cells": [{"cell_type": "code", "source": text} for text in cells], "metadata": {}}
    source = read_stdin("x.ipynb", io.BytesIO(json.dumps(made).encode()))
    assert isinstance(source, SourceFile)
    assert len(source.cells) == len(source.lines)


@given(PYTHON_LIKE)
def test_any_text_may_be_searched_for_suppressions(text: str) -> None:
    source = SourceFile("x.py", text)
    for comment in find_suppressions(source):
        assert 1 <= comment.first <= comment.span.line <= comment.last <= max(len(source.lines), 1)
        assert "mrtr" in source.line(comment.span.line)[comment.span.column - 1 :]


@given(ODD_TEXT)
def test_lines_are_those_of_the_parser(text: str) -> None:
    lines = SourceFile("x.py", text).lines
    assert "".join(lines) == text.replace("\r", "").replace("\n", "")
    try:
        tree = ast.parse(text.encode("utf-8"))
    except (SyntaxError, ValueError):
        return
    assert all(getattr(node, "end_lineno", 0) <= len(lines) for node in ast.walk(tree))


@given(ODD_TEXT)
def test_any_text_is_shown_harmlessly(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable() or not any(ord(character) < 32 for character in shown)
    shown.encode("utf-8")
    assert width(shown) >= 0
    page = tag("p", {"title": text}, text)
    assert page.count("<") == 2
    page.encode("utf-8")


@given(
    ODD_TEXT.filter(lambda text: "\n" not in text), st.integers(1, 300), st.integers(0, 300), st.booleans()
)
def test_any_span_has_its_caret(line: str, column: int, length: int, more_lines: bool) -> None:
    shown, carets = snippet(line, Span("x.py", 1, column, 2 if more_lines else 1, column + length))
    assert set(carets.strip()) == {"^"}
    assert not carets.startswith("^") or column == 1 or width(visible(line[: column - 1])) == 0
    assert "\n" not in shown
