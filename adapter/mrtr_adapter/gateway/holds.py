"""Calls that are kept alive between two rounds: bounded in time, in number and in bytes, and each for one principal.

A call is found again by the state that its round ended with, and by no other: an older state of the same flow does
not continue it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from mrtr_adapter.gateway.call import Call
from mrtr_adapter.telemetry import held as held_calls

logger = logging.getLogger("mrtr")

_SWEEP_SECONDS = 1.0


@dataclass(frozen=True)
class HoldLimits:
    """How long a call is kept, how many, and how much of what was said in them, for one principal each."""

    seconds: float = 300.0
    calls: int = 32
    kilobytes: int = 16 * 1024


@dataclass
class _Held:
    call: Call
    principal: str | None
    until: float
    size: int = field(default=0)


class Holds:
    """Args:
    limits: of what is kept; with 0 seconds nothing is.
    drop: what becomes of a call that nobody came back for.
    """

    def __init__(self, limits: HoldLimits, drop: Callable[[Call], None]) -> None:
        self.limits = limits
        self._drop = drop
        self._held: dict[str, _Held] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._held)

    @property
    def names(self) -> list[str]:
        """The states that the held calls wait for."""
        return list(self._held)

    def park(self, nonce: str, principal: str | None, call: Call) -> bool:
        """Keep a call until the state named by `nonce` comes back. False if there is no room for it."""
        if self.limits.seconds <= 0 or self._closed:
            return False
        size = len(json.dumps([call.params, call.answered, list(call.open.values())]))
        mine = [held for held in self._held.values() if held.principal == principal]
        if (
            len(mine) >= self.limits.calls
            or sum(held.size for held in mine) + size > self.limits.kilobytes * 1024
        ):
            logger.warning("no room to hold another call: %d are held for this principal", len(mine))
            return False
        self._held[nonce] = _Held(call, principal, time.monotonic() + self.limits.seconds, size)
        held_calls.held()
        return True

    def take(self, nonce: str, principal: str | None) -> Call | None:
        """The call that this state continues, if it is still here and this principal's."""
        held = self._held.get(nonce)
        if held is None or held.principal != principal:
            return None
        del self._held[nonce]
        held_calls.released()
        return held.call

    def close(self) -> None:
        """Hold no more, since the end is near. What is held may still be taken."""
        self._closed = True

    def give_up(self) -> None:
        """Say what becomes of the calls that are still held at the end."""
        self.close()
        if self._held:
            logger.warning(
                "%d calls that wait for an answer end with this gateway: when it comes, they are run again where "
                "--replay allows it, and else lost",
                len(self._held),
            )

    async def sweep(self) -> None:
        """Drop what is overdue, until the gateway ends and all that is held with it."""
        try:
            while True:
                await anyio.sleep(_SWEEP_SECONDS)
                self._drop_overdue()
        finally:
            for _ in self._held:
                held_calls.released()

    def _drop_overdue(self) -> None:
        now = time.monotonic()
        for nonce, held in list(self._held.items()):
            if held.until <= now or not held.call.session.alive:
                del self._held[nonce]
                held_calls.released()
                self._drop(held.call)
