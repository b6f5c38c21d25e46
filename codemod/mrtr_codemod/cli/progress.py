"""A progress line on standard error, for runs that take long enough to wonder."""

from __future__ import annotations

import sys
import time

_PATIENCE = 1.0
"""Seconds before anything is shown."""
_INTERVAL = 0.1
_CELLS = 24


class Progress:
    """Draws `done` of `total` when called, on a terminal only. Erases itself when the `with` block ends."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._due = time.monotonic() + _PATIENCE
        self._drawn = False
        self._enabled = sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._enabled or now < self._due:
            return
        self._due = now + _INTERVAL
        self._drawn = True
        filled = _CELLS * done // max(total, 1)
        bar = "#" * filled + "-" * (_CELLS - filled)
        sys.stderr.write(f"\r\x1b[2K{self._label} [{bar}] {done:,}/{total:,}")
        sys.stderr.flush()
