"""What happens when a call is repeated: one retry twice, and round after round."""

from __future__ import annotations

from mrtr_adapter.check.answering import Action, CannotAnswer, answers, is_page
from mrtr_adapter.check.model import SERVER_REQUIREMENTS, Check, Level, Status, Verdict
from mrtr_adapter.check.subject import Subject

TWICE = Check(
    "same-retry-same-outcome",
    "A retry that is sent twice leads to the same, or is refused the second time",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "See whether this retry did its work twice. If it must not, let each state be redeemed once, and give the stored "
    "result to whoever sends it again: a client whose reply was lost will.",
)
ENDS = Check(
    "call-ends",
    "A call ends within 10 rounds",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Count the rounds in the state and fail past a bound: clients give up at 10.",
)
CHECKS = (TWICE, ENDS)

MAX_ROUNDS = 10


async def check_repeats(subject: Subject) -> list[Verdict]:
    """All of `CHECKS`."""
    return [await _twice(subject), await _ends(subject)]


async def _twice(subject: Subject) -> Verdict:
    begun = await subject.caller.begun()
    first = await subject.caller.retry(begun.first.state, begun.answers or None)
    second = await subject.caller.retry(begun.first.state, begun.answers or None)
    if first.asks and second.asks:
        same = first.requests == second.requests  # their states may well differ
    else:
        same = first.came == second.came or second.error is not None or second.tool_error
    return subject.decided(TWICE, second, passed=same, note=f"the first time: {first.came}")


async def _ends(subject: Subject) -> Verdict:
    caller = subject.caller
    if caller.action is Action.ACCEPT and any(map(is_page, subject.first.requests.values())):
        return subject.skipped(ENDS, "it waits for a page that nobody visits here")
    reply = await caller.begin()
    for number in range(1, MAX_ROUNDS + 1):
        if not reply.asks:
            return subject.decided(ENDS, reply, passed=True, note=f"in round {number}")
        try:
            given = answers(reply.requests, caller.action)
        except CannotAnswer as lack:
            return Verdict(ENDS, Status.UNCHECKED, subject.name, reply.sent, reply.came, str(lack))
        reply = await caller.retry(reply.state, given or None)
    return subject.decided(ENDS, reply, passed=not reply.asks, note=f"in round {MAX_ROUNDS + 1}")
