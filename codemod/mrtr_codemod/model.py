"""What a check of a repo yields: plain data between the analysis, the rules and the report formats.

Lines and columns are 1-based and count characters, as editors show them; an end is exclusive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Level(Enum):
    """How bad a finding is, best first. `--fail-on LEVEL` fails on that level and above."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return list(Level).index(self)


class AskKind(Enum):
    """The requests that a server can no longer push to its client (SEP-2322)."""

    FORM = "form"
    URL = "url"
    SAMPLING = "sampling"
    ROOTS = "roots"


class Verdict(Enum):
    """The way to take for one handler, easiest first."""

    REWRITE_SAFE = "rewrite (safe)"
    REWRITE_REVIEW = "rewrite (review)"
    ADAPTER = "adapter"
    ADAPTER_MEMO = "adapter with memo/once"
    GATEWAY = "gateway"
    BY_HAND = "by hand"


@dataclass(frozen=True, order=True)
class Span:
    """A piece of a file. `path` is relative to where the check was started, with `/` between its parts."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Finding:
    """One hit of a rule. `handler` is the qualified name of the handler it belongs to, if it belongs to one."""

    rule: str
    level: Level
    message: str
    span: Span
    handler: str | None = None
    related: tuple[tuple[str, Span], ...] = ()
    """Other places that explain the finding, each with a word on what it is."""


@dataclass(frozen=True)
class Ask:
    """One request to the client, and the way to it from the handler."""

    kind: AskKind
    span: Span
    via: tuple[Span, ...] = ()
    """The calls that lead from the handler's own body to the ask, outermost first; empty if it stands there."""
    question: str | None = None
    """The source of the message, as far as the code tells it."""


@dataclass(frozen=True)
class LiveLocal:
    """A local that is set before an ask and read after it. `type` is its annotation as source, if known."""

    name: str
    type: str | None
    span: Span


@dataclass(frozen=True)
class Handler:
    """An entry point that a client can reach, and how it may migrate."""

    name: str
    """Qualified: `Class.method` or `function`."""
    framework: str
    """`mcp`, `mcp-lowlevel`, `fastmcp`."""
    method: str
    """The protocol method that it serves: `tools/call`, `prompts/get`, `resources/read`, …"""
    span: Span
    asks: tuple[Ask, ...] = ()
    live: tuple[LiveLocal, ...] = ()
    hazards: tuple[Finding, ...] = ()
    rounds: int | None = 0
    """How often it asks at most on any one path (concurrent asks count once), None if unbounded."""
    verdict: Verdict | None = None
    """None for a handler that asks nothing."""
    reason: str = ""


@dataclass(frozen=True)
class Failure:
    """A file that could not be checked, and why."""

    path: str
    reason: str


@dataclass
class Report:
    """All that one run found, in a deterministic order: by path, then by place."""

    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    handlers: list[Handler] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    suppressed: int = 0
