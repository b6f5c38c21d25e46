"""Whether a server took a retry that it should not have taken."""

from __future__ import annotations

from enum import Enum

from mrtr_adapter.check.wire import Reply


class Taken(Enum):
    REFUSED = "refused"
    """An error, or the questions once more: the protocol leaves the channel open."""
    ACCEPTED = "accepted"
    """The call went on as after an honest retry."""
    UNCLEAR = "unclear"
    """An honest retry leads to the same."""


def taken(reply: Reply, first: Reply, honest: Reply) -> Taken:
    """What became of a retry, seen beside the first round of the call and what an honest retry of it leads to."""
    if reply.error is not None:
        return Taken.UNCLEAR if _same_error(reply, honest) else Taken.REFUSED
    if reply.asks:
        if not _same_questions(reply, honest):
            return Taken.REFUSED
        return Taken.UNCLEAR if _same_questions(honest, first) else Taken.ACCEPTED
    if reply.tool_error:
        return Taken.UNCLEAR if honest.tool_error and reply.came == honest.came else Taken.REFUSED
    return Taken.ACCEPTED


def leads_on(reply: Reply, first: Reply) -> bool:
    """Whether a retry got the call further: to a result, or to other questions."""
    if reply.error is not None:
        return False
    return not reply.asks or not _same_questions(reply, first)


def _same_questions(reply: Reply, other: Reply) -> bool:
    return other.asks and reply.requests == other.requests


def _same_error(reply: Reply, other: Reply) -> bool:
    return other.error is not None and (reply.error or {}) == other.error
