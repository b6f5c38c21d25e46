"""A fleet behind a front that keeps no session with an instance, while its instances are killed.

What "once" means here: without a store, the adapter keeps no record of a finished flow. A client that got no
answer to its last round and sends it again has the handler run again, as with any request over HTTP. The
depot is built for that, as a server must be: an order is shipped at most once, whatever the attempts. The
tests check both: each order is shipped exactly once, and nothing but such a broken last round leads to a
second attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import httpx2
import pytest

from interop.fleet import Fleet, running_fleet
from interop.wire import Outcome, run_flow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLOWS = 500
KILLS_AFTER = (200, 500, 800)
"""How many answered questions precede each kill; 500 flows have 1,250."""
WORST_MOMENTS = ("order-crash-1", "order-crash-2")
LIMIT_SECONDS = 90


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with running_fleet(tmp_path, crashes=WORST_MOMENTS) as fleet:
        yield fleet


class Clients:
    """Drives flows against a fleet and counts the questions that they answered."""

    def __init__(self, fleet: Fleet) -> None:
        self._url = fleet.front.url
        self.answered = 0
        self.outcomes: dict[str, Outcome] = {}

    async def ship(self, http: httpx2.AsyncClient, order: str) -> None:
        arguments = {"order": order, "fragile": is_fragile(order)}
        self.outcomes[order] = await run_flow(http, self._url, "ship", arguments, self._answer)

    def _answer(self, message: str) -> dict[str, Any]:
        self.answered += 1
        return {"action": "accept", "content": content_for(message)}


async def test_every_flow_completes_once_while_instances_are_killed(fleet: Fleet) -> None:
    orders = [f"order-{number}" for number in range(FLOWS)]
    clients = Clients(fleet)

    with anyio.fail_after(LIMIT_SECONDS):
        async with connections() as http, anyio.create_task_group() as tasks:
            for order in orders:
                tasks.start_soon(clients.ship, http, order)
            await kill_and_restart_instances(fleet, clients)

    assert {order: text(outcome) for order, outcome in clients.outcomes.items()} == {
        order: parcel(order) for order in orders
    }
    assert all(outcome.questions == questions(order) for order, outcome in clients.outcomes.items())
    assert fleet.ledger.shipments() == {order: parcel(order) for order in orders}
    for order, attempts in fleet.ledger.attempts().items():
        assert attempts <= 1 + clients.outcomes[order].broken[-1], f"{order} was attempted for no reason"

    in_vain = sum(sum(outcome.broken) for outcome in clients.outcomes.values())
    assert in_vain > 0, "the kills hit nothing: the test shows less than it says"
    travelled = [order for order in orders if fleet.served(order) > 1]
    assert len(travelled) > FLOWS / 2, "most flows stayed on one instance: the test shows less than it says"


async def kill_and_restart_instances(fleet: Fleet, clients: Clients) -> None:
    for number, answers in enumerate(KILLS_AFTER):
        while clients.answered < answers:
            await anyio.sleep(0.01)
        assert len(clients.outcomes) < FLOWS, "the kill came too late to matter"
        victim = fleet.instances[number % len(fleet.instances)]
        victim.kill()
        await anyio.to_thread.run_sync(victim.start)


@pytest.mark.parametrize("order", WORST_MOMENTS)
async def test_death_between_effect_and_reply_ships_once(fleet: Fleet, order: str) -> None:
    clients = Clients(fleet)
    async with connections() as http:
        await clients.ship(http, order)

    outcome = clients.outcomes[order]
    assert outcome.broken[-1] == 1
    assert text(outcome) == parcel(order)
    assert fleet.ledger.attempts() == {order: 2}
    assert fleet.ledger.shipments() == {order: parcel(order)}


def connections() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None), timeout=60)


def is_fragile(order: str) -> bool:
    return order.endswith(("1", "3", "5", "7", "9"))


def content_for(message: str) -> dict[str, Any]:
    """What the user answers: the question names the order, so answers cannot be swapped unnoticed."""
    if message.startswith("Where does "):
        return {"city": city(message.split()[2])}
    return {"express": True} if message.startswith("Send ") else {"insured": True}


def city(order: str) -> str:
    return f"city-of-{order}"


def parcel(order: str) -> str:
    return f"{order} to {city(order)} by express" + (", insured" if is_fragile(order) else "")


def questions(order: str) -> list[list[str]]:
    asked = [[f"Where does {order} go?"], [f"Send {order} to {city(order)} by express?"]]
    return [*asked, [f"Insure {order} to {city(order)} by express?"]] if is_fragile(order) else asked


def text(outcome: Outcome) -> str:
    return str(outcome.result["content"][0]["text"])
