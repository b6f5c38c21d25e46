"""Code that runs inside `memo` or `once`: what it does is not repeated by a replay, and it may not ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Enclosure:
    """What encloses the code: `kind` is `memo` or `once`, `name` what the handler calls it."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}({self.name!r})"


enclosing: ContextVar[Enclosure | None] = ContextVar("mrtr_enclosing", default=None)
"""The innermost enclosure of the code that runs here, in its tasks and threads too."""


@contextmanager
def enclosed(kind: str, name: str) -> Iterator[Enclosure]:
    entered = Enclosure(kind, name)
    token = enclosing.set(entered)
    try:
        yield entered
    finally:
        enclosing.reset(token)
