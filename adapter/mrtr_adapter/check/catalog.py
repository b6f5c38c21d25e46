"""All checks, in the order in which they are reported."""

from __future__ import annotations

from mrtr_adapter.check.checks import declared, questions, repeats, retries, server, states, traffic
from mrtr_adapter.check.model import Check

OF_THE_SERVER = server.CHECKS
OF_A_TOOL = (
    *questions.CHECKS,
    *declared.CHECKS,
    *retries.CHECKS,
    *states.CHECKS,
    *repeats.CHECKS,
)
OF_ALL_REPLIES = traffic.CHECKS

CHECKS: tuple[Check, ...] = (*OF_THE_SERVER, *OF_A_TOOL, *OF_ALL_REPLIES)
