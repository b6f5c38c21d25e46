"""How long requests of an older client may run. While the client itself is asked something, no time passes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from mrtr_adapter.gateway.errors import timed_out


class Patience:
    """For the requests of one connection: which of them a question belongs to is not known, so it stops all clocks.

    Args:
        seconds: from the request, or from the last answer, to the result.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._asking = 0
        self._limits: set[anyio.CancelScope] = set()

    @contextmanager
    def limited(self, name: str) -> Iterator[None]:
        """Raises `MCPError` when the time for the body is over."""
        with anyio.CancelScope(deadline=self._deadline()) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)
        if limit.cancelled_caught:
            raise timed_out(name, self._seconds)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The client is being asked something meanwhile."""
        self._asking += 1
        self._set_clocks()
        try:
            yield
        finally:
            self._asking -= 1
            self._set_clocks()

    def _set_clocks(self) -> None:
        for limit in self._limits:
            limit.deadline = self._deadline()

    def _deadline(self) -> float:
        return math.inf if self._asking else anyio.current_time() + self._seconds
