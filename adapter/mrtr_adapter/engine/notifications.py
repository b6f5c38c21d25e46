"""Progress and log messages of a handler that is replayed: each goes out once."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mrtr_adapter.engine.question import digest

_MARK = 4
_MAX_MARKS = 256
"""Later ones are not remembered, and go out again with each replay."""


class Notifications:
    """What the client has been told. `marks` is the record: four characters for each notification."""

    def __init__(self, marks: str) -> None:
        self.marks = marks
        self._told = Counter(marks[at : at + _MARK] for at in range(0, len(marks), _MARK))

    @contextmanager
    def telling(self, method: str, params: Mapping[str, Any]) -> Iterator[bool]:
        """Around the sending of one: whether to send it. Broken off meanwhile, it has not been told.

        The progress token is the request's own and tells nothing.
        """
        shown = {name: value for name, value in params.items() if name not in ("progressToken", "_meta")}
        hashed = hashlib.sha256(digest(method, shown).encode()).digest()
        mark = base64.urlsafe_b64encode(hashed[:3]).decode()
        if self._told[mark]:
            self._told[mark] -= 1
            yield False
            return
        yield True
        if len(self.marks) < _MARK * _MAX_MARKS:
            self.marks += mark
