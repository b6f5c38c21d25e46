"""What the checks of one tool work on, and how they say what they found."""

from __future__ import annotations

from dataclasses import dataclass

from mrtr_adapter.check.calling import Caller
from mrtr_adapter.check.judging import Taken, taken
from mrtr_adapter.check.model import Check, Status, Verdict
from mrtr_adapter.check.wire import Reply, Wire


@dataclass(frozen=True)
class Subject:
    """A tool that asks, seen through one call: its first round, and what an honest retry led to.

    `others` are further tools that ask, `other_user` reaches the server as somebody else, and `wait` is how many
    seconds make a state expire.
    """

    caller: Caller
    first: Reply
    honest: Reply
    others: tuple[Caller, ...] = ()
    other_user: Wire | None = None
    wait: float | None = None

    @property
    def name(self) -> str:
        return self.caller.tool.name

    def decided(self, check: Check, reply: Reply, *, passed: bool, note: str = "") -> Verdict:
        """A verdict on one exchange."""
        return decided(check, reply, passed=passed, tool=self.name, note=note)

    def refused(self, check: Check, reply: Reply) -> Verdict:
        """The verdict on a retry that the server should not have taken."""
        found = taken(reply, self.first, self.honest)
        if found is Taken.UNCLEAR:
            return self.unclear(check, reply)
        return self.decided(check, reply, passed=found is Taken.REFUSED)

    def unclear(self, check: Check, reply: Reply) -> Verdict:
        note = "an honest retry leads to the same; try other answers (--answer)"
        return Verdict(check, Status.UNCHECKED, self.name, reply.sent, reply.came, note)

    def skipped(self, check: Check, why: str) -> Verdict:
        return Verdict(check, Status.SKIPPED, self.name, note=why)


def decided(check: Check, reply: Reply, *, passed: bool, tool: str = "", note: str = "") -> Verdict:
    """A verdict on one exchange, of one tool or of the whole server."""
    return Verdict(check, Status.PASSED if passed else Status.FAILED, tool, reply.sent, reply.came, note)
