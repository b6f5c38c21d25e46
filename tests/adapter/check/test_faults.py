"""Each check fails at a server that has just the fault that it looks for, and passes at one that has none."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest

from adapter.check.faulty import Clock, application
from adapter.check.serving import served
from mrtr_adapter.check.answering import Action
from mrtr_adapter.check.calling import Tool
from mrtr_adapter.check.catalog import CHECKS
from mrtr_adapter.check.checks import states
from mrtr_adapter.check.connect import over_http
from mrtr_adapter.check.model import Report, Status
from mrtr_adapter.check.run import Plan, check

pytestmark = pytest.mark.anyio

SHIP = {"thing": "ship"}
SELL, BUY, VISIT = (Tool(name, SHIP) for name in ("sell", "buy", "visit"))
CLOCK = Clock()
WAIT = 3600.0

TOOLS = {
    "page-has-url": (VISIT,),
    "state-bound-to-tool": (SELL, BUY),
    "unknown-action-refused": (BUY,),
}
"""The tools that show a fault, where that is not just `SELL`."""

UNBOUND = {"state-bound-to-arguments", "state-bound-to-user"}
TOGETHER = {
    "round-has-content": {"call-ends"},
    "ask-keys": {"broken-content-refused", "missing-answer-asked-again"},
    "undeclared-never-asked": {"other-mode-never-asked"},
    "retry-under-new-id": {"missing-answer-asked-again"},
    "wrong-kind-refused": {"answers-belong-to-keys"},
    "answers-belong-to-keys": {"extra-answer-ignored", "wrong-kind-refused"},
    "changed-state-refused": {"cut-state-refused", "state-expires", *UNBOUND},
    "cut-state-refused": {"changed-state-refused", "state-expires", *UNBOUND},
    "forged-state-refused": {"changed-state-refused", "state-is-sealed", *UNBOUND},
    "call-ends": {"retry-under-new-id"},
    "nothing-removed": {"undeclared-never-asked"},
}
"""What else a fault leads to."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served(application(CLOCK)) as url:
        yield url


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for a state to expire turns the servers' clock instead."""

    async def sleep(seconds: float) -> None:
        CLOCK.ahead += seconds
        await anyio.lowlevel.checkpoint()

    monkeypatch.setattr(states, "sleep", sleep)


async def checked(url: str, fault: str, *tools: Tool) -> Report:
    plan = Plan(tools, action=Action.ACCEPT, wait=WAIT)
    async with (
        over_http(f"{url}/{fault}/mcp", {"Authorization": "Bearer ada"}, 30) as wire,
        over_http(f"{url}/{fault}/mcp", {"Authorization": "Bearer bob"}, 30) as other,
    ):
        return await check("server", wire, plan, other)


def failed(report: Report) -> set[str]:
    return {verdict.check.id for verdict in report.of(Status.FAILED)}


async def test_a_server_without_fault_passes_every_check(server: str) -> None:
    report = await checked(server, "none", SELL, BUY, VISIT)
    assert failed(report) == set()
    assert not report.of(Status.UNCHECKED)
    passed = {verdict.check.id for verdict in report.of(Status.PASSED)}
    # What can't be read can't be forged; every other check was really made, on one tool or another.
    assert passed == {check.id for check in CHECKS} - {"forged-state-refused"}


async def test_a_state_that_is_signed_can_be_read_and_not_forged(server: str) -> None:
    report = await checked(server, "state-is-sealed", SELL)
    assert "forged-state-refused" in {verdict.check.id for verdict in report.of(Status.PASSED)}


@pytest.mark.parametrize("fault", [check.id for check in CHECKS])
async def test_a_fault_fails_its_check(server: str, fault: str) -> None:
    report = await checked(server, fault, *TOOLS.get(fault, (SELL,)))
    assert failed(report) == {fault, *TOGETHER.get(fault, ())}
