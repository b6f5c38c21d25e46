"""What becomes of handlers and modules: the words that the engine, the reports and the command share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

GONE_FROM_SDK = "gone-from-sdk"
"""The rule of handlers that stay because the new SDKs can't serve their file, whatever form they have."""


class Level(Enum):
    """How much attention a rewrite wants."""

    SAFE = "safe"
    REVIEW = "review"
    MANUAL = "manual"


@dataclass(frozen=True)
class HandlerVerdict:
    """What becomes of one handler, and why. `changed` tells whether this run rewrote it."""

    name: str
    line: int
    method: str
    level: Level
    rule: str = ""
    reason: str = ""
    changed: bool = False


@dataclass(frozen=True)
class FileRewrite:
    """What becomes of one module: its new source, and the verdicts on its handlers."""

    after: str
    handlers: tuple[HandlerVerdict, ...]
    support: tuple[str, ...]
    """The support modules that the new code needs beside it."""
    rewritten: bool
    """Whether any of its functions is; a marker alone is no rewrite."""


Wanted = Callable[[HandlerVerdict], bool]
