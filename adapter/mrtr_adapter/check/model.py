"""What a run of `mrtr check` yields: plain data between the checks and the report formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from mrtr_codemod.model import Level as Level

SPECIFICATION = "https://modelcontextprotocol.io/specification/2026-07-28/"


@dataclass(frozen=True)
class Section:
    """A section of the specification, 2026-07-28."""

    title: str
    path: str

    @property
    def url(self) -> str:
        return SPECIFICATION + self.path


@dataclass(frozen=True)
class Check:
    """One thing that a server must (level error) or should (warning) do, and what to do where it does not.

    `title` is the promise that is kept when the check passes.
    """

    id: str
    title: str
    level: Level
    section: Section
    remedy: str


class Status(Enum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It does not apply to this server, or was not asked for."""
    UNCHECKED = "unchecked"
    """The server's replies do not tell."""


@dataclass(frozen=True)
class Verdict:
    """How one check came out, for one tool or (`tool` empty) for the whole server.

    `sent` and `came` show the exchange that decided; both are empty where nothing was sent. `note` says why a check was
    not made, or what a number is.
    """

    check: Check
    status: Status
    tool: str = ""
    sent: str = ""
    came: str = ""
    note: str = ""


@dataclass(frozen=True)
class Report:
    """One run, in the order of the checks.

    `tools` are those that asked and so were checked, `silent` those that were called and asked nothing.
    """

    server: str
    verdicts: tuple[Verdict, ...]
    tools: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def of(self, status: Status) -> Sequence[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.status is status]

    def exit_code(self, fail_on: Level | None) -> int:
        """0 nothing failed, 1 a failure at or above `fail_on` (None: never), 2 something could not be checked."""
        failed = self.of(Status.FAILED)
        if fail_on is not None and any(verdict.check.level.rank >= fail_on.rank for verdict in failed):
            return 1
        return 2 if self.of(Status.UNCHECKED) else 0


MRTR = "basic/patterns/mrtr"
SERVER_REQUIREMENTS = Section(
    "Multi Round-Trip Requests, Server Requirements", f"{MRTR}#server-requirements-basic-workflow"
)
SUPPORTED_REQUESTS = Section("Multi Round-Trip Requests, Supported Requests", f"{MRTR}#supported-requests")
ERROR_HANDLING = Section("Multi Round-Trip Requests, Error Handling", f"{MRTR}#error-handling")
CLIENT_REQUIREMENTS = Section(
    "Multi Round-Trip Requests, Client Requirements", f"{MRTR}#client-requirements-basic-workflow"
)
META = Section("Overview, _meta", "basic/index#meta")
RESULT_TYPE = Section("Overview, ResultType", "basic/index#resulttype")
ERROR_CODES = Section("Overview, Error Codes", "basic/index#error-codes")
VERSIONS = Section(
    "Versioning, Protocol Version Negotiation", "basic/versioning#protocol-version-negotiation"
)
ELICITATION = Section("Elicitation, Capabilities", "client/elicitation#capabilities")
FORM = Section("Elicitation, Requested Schema", "client/elicitation#requested-schema")
URL = Section("Elicitation, URL Mode", "client/elicitation#url-mode-elicitation-requests")
TOOLS = Section("Tools, Error Handling", "server/tools#error-handling")
