"""Recorded randomness: a replayed handler draws the same numbers again.

The usual URL elicitation puts a `uuid4()` into its question, and a one-time code has to be the one that was shown. So
inside a flow `uuid.uuid4()`, `secrets` and the functions of the `random` module draw from a stream that belongs to the
flow: HMAC-SHA256 over a counter, keyed by a seed that travels under the seal. Nothing changes outside a flow, and
`adapt(record=False)` leaves it out.

The functions are reached below their names (`uuid.os`, `random._urandom`, the class of the shared generator), so that
code which did `from uuid import uuid4` long before is served too. Only `from random import random, getrandbits` done
before `adapt()` can't be.
"""

from __future__ import annotations

import hmac
import os
import random
import sys
import uuid
from itertools import count
from types import FrameType, ModuleType
from typing import Any

from mrtr_adapter.engine.enclosed import enclosing
from mrtr_adapter.engine.flows import Flow, current


class Stream:
    """The randomness of one flow: the same draws in the same order, in each of its rounds."""

    __slots__ = ("_counter", "_seed")

    def __init__(self, seed: str) -> None:
        self._seed = bytes.fromhex(seed)
        self._counter = count()

    def draw(self, size: int) -> bytes:
        """`size` bytes. Safe to call from threads: each draw takes a number of its own."""
        number = next(self._counter).to_bytes(8, "big")
        blocks = range(-(-size // 32))
        drawn = b"".join(
            hmac.digest(self._seed, number + block.to_bytes(4, "big"), "sha256") for block in blocks
        )
        return drawn[:size]


def _stream() -> Stream | None:
    """The stream of the flow that runs here, if one does and records."""
    flow: Flow | None = current.get()
    if (
        flow is None
        or flow.halt.over
        or not flow.terms.record
        or enclosing.get() is not None
        or _drawn_for_telemetry()
    ):
        return None
    if flow.stream is None:
        if flow.memory.seed is None:
            flow.memory.seed = os.urandom(16).hex()
        flow.stream = Stream(flow.memory.seed)
    return flow.stream


_STANDARD = frozenset({"random", "secrets", "uuid", __name__})
_TELEMETRY = ("ddtrace", "elasticapm", "logfire", "newrelic", "opentelemetry", "sentry_sdk")


def _drawn_for_telemetry() -> bool:
    """Whether a tracer draws: its spans are new ones in each round, so their ids must be new as well."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in _STANDARD:
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _TELEMETRY


def _generator_stream() -> Stream | None:
    """The same for the shared generator, which a handler may have seeded itself."""
    flow = current.get()
    return None if flow is not None and flow.reseeded else _stream()


def urandom(size: int) -> bytes:
    """`os.urandom`, recorded inside a flow."""
    stream = _stream()
    return os.urandom(size) if stream is None else stream.draw(size)


class _RecordedOs(ModuleType):
    """What the uuid module sees as `os`."""

    urandom = staticmethod(urandom)

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


class RecordedRandom(random.Random):
    """The generator behind the functions of the `random` module."""

    def random(self) -> float:
        stream = _generator_stream()
        return super().random() if stream is None else (int.from_bytes(stream.draw(7), "big") >> 3) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        stream = _generator_stream()
        if stream is None or k <= 0:
            return super().getrandbits(k)
        return int.from_bytes(stream.draw(-(-k // 8)), "big") >> (-k % 8)

    @property
    def gauss_next(self) -> float | None:
        """`gauss` makes two numbers and keeps the second here, which may not pass from one flow to another."""
        kept: float | None = self.__dict__.get("gauss_next") if _generator_stream() is None else None
        return kept

    @gauss_next.setter
    def gauss_next(self, value: float | None) -> None:
        if _generator_stream() is None:
            self.__dict__["gauss_next"] = value

    def seed(self, a: Any = None, *args: Any, **kwargs: Any) -> None:
        """A handler that seeds the generator itself repeats itself already, unless it seeds from the system."""
        flow = current.get()
        if flow is not None and a is not None:
            flow.reseeded = True
        super().seed(a, *args, **kwargs)


def install() -> None:
    """Have the standard library draw through here. Does nothing the second time."""
    shared: random.Random = random._inst
    if isinstance(shared, RecordedRandom):
        return
    uuid.os = _RecordedOs("os")  # type: ignore[attr-defined]
    random._urandom = urandom  # type: ignore[attr-defined]
    shared.__class__ = RecordedRandom
    random.random = shared.random
    random.getrandbits = shared.getrandbits
    random.seed = shared.seed
