"""One candidate file to its decoded source, or to the reason why it cannot be checked."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from mrtr_codemod.discover.decode import UndecodableError, decode
from mrtr_codemod.discover.notebook import read_notebook
from mrtr_codemod.model import Failure
from mrtr_codemod.source import SourceFile

if TYPE_CHECKING:
    from typing import BinaryIO

    from mrtr_codemod.discover.walk import Candidate

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
SIZE_LIMIT = 8 * 1024 * 1024
"""Bytes. A larger file is no hand-written source, and parsing one takes minutes and gigabytes."""


def read_file(candidate: Candidate) -> SourceFile | Failure | None:
    """Read one file; None for a notebook in another language. Never raises for what the file is or holds."""
    try:
        # Without blocking: a named pipe that is called x.py must not hang the run.
        descriptor = os.open(candidate.location, _FLAGS)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return Failure(candidate.path, "is not a regular file")
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        return Failure(candidate.path, f"cannot be read: {error.strerror or error}")
    return _to_source(candidate.path, data)


def read_stdin(path: str, stream: BinaryIO) -> SourceFile | Failure | None:
    """Read standard input to its end as the file `path`; a name in `.ipynb` makes it a notebook."""
    return _to_source(path, stream.read(SIZE_LIMIT + 1))


def _to_source(path: str, data: bytes) -> SourceFile | Failure | None:
    if len(data) > SIZE_LIMIT:
        return Failure(path, f"is larger than {SIZE_LIMIT // 1024 // 1024} MiB; exclude it with --exclude")
    try:
        return read_notebook(path, data) if path.endswith(".ipynb") else SourceFile(path, decode(data))
    except UndecodableError as error:
        return Failure(path, str(error))
