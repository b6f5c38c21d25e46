"""The time as a flow sees it: the same readings in the same order, in each of its rounds."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence


class Clock:
    """Readings are whole microseconds since the epoch. `readings` is the record, to be carried on."""

    def __init__(self, recorded: Sequence[int]) -> None:
        self.readings = list(recorded)
        self._taken = 0
        self._lock = threading.Lock()

    def read(self) -> int:
        """The next reading: a recorded one as long as there are any. Safe to call from threads."""
        with self._lock:
            if self._taken == len(self.readings):
                self.readings.append(time.time_ns() // 1000)
            self._taken += 1
            return self.readings[self._taken - 1]
