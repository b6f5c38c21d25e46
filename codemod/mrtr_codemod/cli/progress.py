"""A progress line on standard error, for runs that take long enough to wonder."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_PATIENCE = 1.0
"""Seconds before anything is shown."""
_INTERVAL = 0.1
_CELLS = 24
_ERASE = "\r\x1b[2K"


class Progress:
    """Draws `done` of `total` when called, and erases itself at the end of `with`.

    On `stream` (standard error), if that is a terminal, and after a second or, with `at_once`, from the start.
    """

    def __init__(self, label: str, stream: TextIO | None = None, *, at_once: bool = False) -> None:
        self._label = label
        # Standard error, too, is None in a process that was started with it closed.
        stream = stream or sys.stderr
        self._stream = stream if stream is not None and stream.isatty() else None
        self._due = time.monotonic() + (0 if at_once else _PATIENCE)
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream and self._drawn:
            self._stream.write(_ERASE)
            self._stream.flush()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._stream is None or now < self._due:
            return
        self._due = now + _INTERVAL
        self._drawn = True
        filled = _CELLS * done // max(total, 1)
        bar = "#" * filled + "-" * (_CELLS - filled)
        self._stream.write(f"{_ERASE}{self._label} [{bar}] {done:,}/{total:,}")
        self._stream.flush()
