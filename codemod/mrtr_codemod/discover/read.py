"""One candidate file to its decoded source, or to the reason why it cannot be checked."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from mrtr_codemod.discover.decode import UndecodableError, decode
from mrtr_codemod.discover.notebook import read_notebook
from mrtr_codemod.discover.walk import Candidate
from mrtr_codemod.model import Failure
from mrtr_codemod.shelf import Shelf
from mrtr_codemod.source import SourceFile

if TYPE_CHECKING:
    from typing import BinaryIO

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
SIZE_LIMIT = 8 * 1024 * 1024
"""Bytes. A larger file is no hand-written source, and parsing one takes minutes and gigabytes."""


class Files(Shelf):
    """Reads files, and reads them again. A notebook is not let go: to take it apart once more takes too long."""

    def __init__(self) -> None:
        super().__init__()
        self._locations: dict[str, str] = {}

    def read(self, candidate: Candidate) -> SourceFile | Failure | None:
        """Read one file; None for a notebook in another language. Never raises for what the file is or holds."""
        data = _data(candidate)
        if isinstance(data, Failure):
            return data
        self._locations[candidate.path] = candidate.location
        return _to_source(candidate.path, data, self)

    def read_again(self, path: str) -> str | None:
        data = _data(Candidate(path, self._locations[path]))
        source = _to_source(path, data) if not isinstance(data, Failure) else None
        return source.text if isinstance(source, SourceFile) else None


def _data(candidate: Candidate) -> bytes | Failure:
    try:
        # Without blocking: a named pipe that is called x.py must not hang the run.
        descriptor = os.open(candidate.location, _FLAGS)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return Failure(candidate.path, "is not a regular file")
            return _to_the_end(descriptor, status.st_size)
        finally:
            os.close(descriptor)
    except OSError as error:
        return Failure(candidate.path, f"cannot be read: {error.strerror or error}")


def _to_the_end(descriptor: int, expected: int) -> bytes:
    """What is in a file, at most one byte more than is allowed."""
    data = os.read(descriptor, min(expected, SIZE_LIMIT) + 1)
    while data and len(data) <= SIZE_LIMIT:
        more = os.read(descriptor, SIZE_LIMIT + 1 - len(data))
        if not more:
            break
        data += more
    return data


def read_stdin(path: str, stream: BinaryIO) -> SourceFile | Failure | None:
    """Read standard input to its end as the file `path`; a name in `.ipynb` makes it a notebook."""
    return _to_source(path, stream.read(SIZE_LIMIT + 1))


def _to_source(path: str, data: bytes, shelf: Shelf | None = None) -> SourceFile | Failure | None:
    if len(data) > SIZE_LIMIT:
        return Failure(path, f"is larger than {SIZE_LIMIT // 1024 // 1024} MiB; exclude it with --exclude")
    try:
        if path.endswith(".ipynb"):
            return read_notebook(path, data)
        return SourceFile(path, decode(data), shelf=shelf)
    except UndecodableError as error:
        return Failure(path, str(error))
