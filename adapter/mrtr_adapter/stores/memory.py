"""A store in the memory of one process: for a server on stdio, for tests, and for one that never restarts."""

from __future__ import annotations

import threading
import time

_SWEEP_FROM = 1024


class MemoryStore:
    """Forgets everything when the process ends, and nobody else sees it."""

    blocking = False
    shared = False

    def __init__(self) -> None:
        self._kept: dict[str, tuple[bytes, float]] = {}
        self._lock = threading.Lock()
        self._sweep_at = _SWEEP_FROM

    def read(self, key: str) -> bytes | None:
        with self._lock:
            return self._live(key)

    def write(self, key: str, value: bytes, seconds: float) -> None:
        with self._lock:
            self._put(key, value, seconds)

    def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
        with self._lock:
            found = self._live(key)
            if found == value:
                return expected
            if found == expected:
                self._put(key, value, seconds)
            return found

    def close(self) -> None:
        """Nothing is held open."""

    def _live(self, key: str) -> bytes | None:
        value, expires = self._kept.get(key, (None, 0.0))
        return value if expires > time.monotonic() else None

    def _put(self, key: str, value: bytes | None, seconds: float) -> None:
        if value is None:
            self._kept.pop(key, None)
            return
        if len(self._kept) >= self._sweep_at:
            self._sweep()
        self._kept[key] = (value, time.monotonic() + seconds)

    def _sweep(self) -> None:
        """Drop what has expired; seldom enough to cost next to nothing per write."""
        now = time.monotonic()
        self._kept = {key: entry for key, entry in self._kept.items() if entry[1] > now}
        self._sweep_at = max(_SWEEP_FROM, 2 * len(self._kept))
