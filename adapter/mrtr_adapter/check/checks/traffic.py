"""What is looked at in everything that a server has sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcp_types import URL_ELICITATION_REQUIRED

from mrtr_adapter.check.model import ERROR_CODES, MRTR, RESULT_TYPE, Check, Level, Section, Status, Verdict
from mrtr_adapter.check.subject import decided
from mrtr_adapter.check.wire import Reply

TYPED = Check(
    "result-type",
    "Every result carries `resultType`: `complete` or `input_required`",
    Level.ERROR,
    RESULT_TYPE,
    "Set `resultType` on every result, complete ones included.",
)
NOT_PUSHED = Check(
    "nothing-pushed",
    "The server sends no request of its own",
    Level.ERROR,
    Section("Multi Round-Trip Requests", MRTR),
    "End the call with `input_required` instead of sending the question while it runs: no client of 2026-07-28 "
    "listens for it. `adapt(server)` does that for handlers that are written so.",
)
REMOVED = Check(
    "nothing-removed",
    "Nothing that 2026-07-28 has removed is sent: error -32042, `notifications/elicitation/complete`",
    Level.ERROR,
    ERROR_CODES,
    "Ask by a URL request in `inputRequests`; the client's retry tells that the user has been there.",
)
CHECKS = (TYPED, NOT_PUSHED, REMOVED)

_TYPES = ("complete", "input_required")
_COMPLETED = "notifications/elicitation/complete"


def check_traffic(heard: Sequence[Reply]) -> list[Verdict]:
    """All of `CHECKS`, on all replies of the run."""
    return [
        _none(TYPED, heard, lambda reply: reply.result is not None and reply.kind not in _TYPES),
        _none(NOT_PUSHED, heard, lambda reply: bool(reply.pushed)),
        _none(
            REMOVED,
            heard,
            lambda reply: reply.code == URL_ELICITATION_REQUIRED or _COMPLETED in reply.notified,
        ),
    ]


def _none(check: Check, heard: Sequence[Reply], wrong: Callable[[Reply], bool]) -> Verdict:
    found = [reply for reply in heard if wrong(reply)]
    if found:
        sent = ", ".join((*found[0].pushed, *found[0].notified))
        return decided(check, found[0], passed=False, note=f"the server sent {sent}" if sent else "")
    return Verdict(check, Status.PASSED, note=f"in {len(heard)} replies")
