from __future__ import annotations

import ast
import io
import json
from typing import Any

import pytest

from mrtr_codemod.discover import read_stdin
from mrtr_codemod.model import Failure
from mrtr_codemod.source import CellLine, SourceFile


def notebook(*cells: str | tuple[str, str], **extra: Any) -> bytes:
    pairs = [cell if isinstance(cell, tuple) else ("code", cell) for cell in cells]
    made = [{"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in pairs]
    return json.dumps({"nbformat": 4, "cells": made, "metadata": {}, **extra}).encode()


def read(data: bytes) -> SourceFile:
    source = read_stdin("n.ipynb", io.BytesIO(data))
    assert isinstance(source, SourceFile), source
    ast.parse(source.text)
    return source


def test_each_line_knows_its_cell_among_all_cells() -> None:
    source = read(notebook("import mcp\nx = 1", ("markdown", "# Title"), "y = 2\n"))
    assert source.lines == ("import mcp", "x = 1", "y = 2", "")
    assert [source.cell_line(n) for n in (1, 2, 3)] == [CellLine(1, 1), CellLine(1, 2), CellLine(3, 1)]
    assert len(source.cells) == len(source.lines)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_each_line_knows_where_in_the_json_it_stands(ascii_only: bool) -> None:
    made = json.loads(notebook(("markdown", "# x = 1"), 'x = "é\\n{["\ny = 2\n', "z = 3"))
    made["cells"][0]["attachments"] = {"x = 1\n": ["x = 1\n", {"source": ["y = 2\n"]}]}
    made["cells"][2]["source"] = "z = 3\nprint(z)"
    text = json.dumps(made, indent=1, ensure_ascii=ascii_only)
    source = read(text.encode())
    rows = text.split("\n")
    assert source.lines == ('x = "é\\n{["', "y = 2", "", "z = 3", "print(z)")
    places = [rows[cell.row - 1].strip() for cell in source.cells]
    assert places[0].startswith('"x = ')
    assert places[1:] == [
        '"y = 2\\n"',
        '"y = 2\\n"',
        '"source": "z = 3\\nprint(z)"',
        '"source": "z = 3\\nprint(z)"',
    ]


def test_a_notebook_with_a_key_given_twice_has_its_code_all_the_same() -> None:
    data = b'{"cells": [{"cell_type": "code", "source": ["x"], "source": ["y = 1"]}]}'
    assert [(line, cell.row) for line, cell in zip(read(data).lines, read(data).cells, strict=True)] == [
        ("y = 1", 1)
    ]


def test_magics_and_shell_lines_keep_the_lines_in_place() -> None:
    source = read(
        notebook("%pip install mcp\n!ls\nfiles = !ls\nhere = %pwd\ndict?\nif x:\n    %run a.py\ndone = 1")
    )
    assert source.lines[-1] == "done = 1"
    assert source.lines[2] == "files = None"
    assert source.lines[6] == "    pass"


def test_a_cell_that_is_python_as_it_stands_is_left_alone() -> None:
    text = "x = (9\n  % 4)\ny = '''\n%not magic\n'''"
    assert read(notebook(text)).lines == tuple(text.split("\n"))


def test_a_cell_in_another_language_is_blank_and_a_timed_one_is_not() -> None:
    source = read(notebook("%%bash\nfor f in *; do\nrm $f\ndone", "%%time\nx = 1"))
    assert [line for line in source.lines if line] == ["pass", "x = 1"]


def test_top_level_await_parses() -> None:
    assert read(notebook("await ctx.elicit('?', A)")).lines == ("await ctx.elicit('?', A)",)


def test_a_notebook_in_another_language_is_passed_over() -> None:
    data = notebook("x <- 1", metadata={"language_info": {"name": "R"}})
    assert read_stdin("n.ipynb", io.BytesIO(data)) is None


def test_old_notebooks_keep_their_cells_in_worksheets() -> None:
    old = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}]}
    assert read(json.dumps(old).encode()).lines == ("x = 1",)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"cells": 7}'])
def test_what_is_no_notebook_is_a_failure_or_empty(data: bytes) -> None:
    source = read_stdin("n.ipynb", io.BytesIO(data))
    if isinstance(source, SourceFile):
        assert source.text == ""
    else:
        assert isinstance(source, Failure)
        assert "is not a notebook" in source.reason
