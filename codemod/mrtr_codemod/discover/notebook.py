"""The Python in a Jupyter notebook, as one source whose lines remember their cells. Read only."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any

from mrtr_codemod.discover.decode import UndecodableError
from mrtr_codemod.discover.json_rows import Place, string_rows
from mrtr_codemod.source import CellLine, SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PYTHON_MAGICS = ("%%capture", "%%prun", "%%time", "%%timeit")
"""Cell magics whose body is ordinary Python; under any other the cell is another language."""
_LINE_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|\S.*\?)$")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w.\[\]'\", ]+=\s*)[%!].*$")


def read_notebook(path: str, data: bytes) -> SourceFile | None:
    """Return the code cells of a notebook (nbformat 3 to 5), or None if its language is not Python.

    Magics and shell lines are blanked where they keep a cell from parsing. Raises `UndecodableError`
    when the data is not a notebook.
    """
    text, notebook = _parse(data)
    if _language(notebook) not in {"python", "ipython", ""}:
        return None
    lines: list[str] = []
    places: list[CellLine] = []
    rows = string_rows(text, notebook)
    for number, cell in _code_cells(notebook):
        pieces = _pieces(cell, rows)
        cell_lines = _as_python("".join(piece for piece, _ in pieces)).split("\n")
        lines += cell_lines
        places += [CellLine(number, line, row) for line, row in enumerate(_line_rows(pieces), 1)]
    return SourceFile(path, "".join(f"{line}\n" for line in lines), tuple(places))


def _parse(data: bytes) -> tuple[str, dict[str, Any]]:
    """The text of a notebook, and what it says."""
    try:
        text = data.decode("utf-8-sig")
        notebook = json.loads(text)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise UndecodableError(f"is not a notebook: {_first_line(error)}") from None
    if not isinstance(notebook, dict) or not ("cells" in notebook or "worksheets" in notebook):
        raise UndecodableError("is not a notebook: it has no cells")
    return text, notebook


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _language(notebook: dict[str, Any]) -> str:
    metadata = _mapping(notebook.get("metadata"))
    named = _mapping(metadata.get("language_info")).get("name") or _mapping(metadata.get("kernelspec")).get(
        "language"
    )
    return str(named or "").lower()


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _code_cells(notebook: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        sheets = notebook.get("worksheets")
        cells = [cell for sheet in (sheets if isinstance(sheets, list) else []) for cell in _cells_of(sheet)]
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            yield number, cell


def _pieces(cell: dict[str, Any], rows: Mapping[Place, int]) -> list[tuple[str, int]]:
    """The texts that the source of a cell is put together from, each with its row in the notebook's own text."""
    key = "source" if "source" in cell else "input"
    source = cell.get(key, "")
    places: list[tuple[object, Place]] = [(source, (id(cell), key))]
    if isinstance(source, list):
        places = [(piece, (id(source), position)) for position, piece in enumerate(source)]
    return [
        (str(piece).replace("\r\n", "\n").replace("\r", "\n"), rows.get(place, 1)) for piece, place in places
    ]


def _line_rows(pieces: list[tuple[str, int]]) -> list[int]:
    """The row that each line begins on."""
    found = [pieces[0][1] if pieces else 1]
    begins = True
    for piece, row in pieces:
        if begins:
            found[-1] = row
        found += [row] * piece.count("\n")
        begins = piece.endswith("\n") or (begins and not piece)
    return found


def _cells_of(sheet: object) -> list[Any]:
    cells = _mapping(sheet).get("cells")
    return cells if isinstance(cells, list) else []


def _as_python(source: str) -> str:
    """Blank what only IPython understands, line for line, unless the cell is Python as it stands."""
    if source.lstrip().startswith("%%") and not source.lstrip().startswith(_PYTHON_MAGICS):
        return "\n" * source.count("\n")
    if _parses(source):
        return source
    return "\n".join(map(_blank_magic, source.split("\n")))


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _blank_magic(line: str) -> str:
    assigned = _ASSIGNED_MAGIC.match(line)
    if assigned:
        return f"{assigned.group(1)}None"
    magic = _LINE_MAGIC.match(line)
    return f"{magic.group(1)}pass" if magic else line
