"""SIGKILL at every step of redeem, run, persist and reply: effects happen once, or are reported, and never twice."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from adapter.trust.mortal import EFFECTS, Instance, Setup, is_final, next_request
from adapter.trust.stores import url_of

STORES = ["sqlite", "redis"]
FLOWS = 1000
WORKERS = 4

INSIDE_ONCE = {
    "after swap once",
    "effect begins",
    "inside the effect",
    "effect ends",
    "before write once",
}
"""From the claim of an effect until its outcome is stored, nobody else can tell whether it happened."""


def finish(mortal: Instance, other: Instance, order: str) -> tuple[dict[str, Any], bool]:
    """An order on one instance, and on the other once that has died: the final reply, and whether it has died."""
    instance = mortal
    reply: dict[str, Any] | None = None
    while reply is None or not is_final(reply):
        request = next_request(order, reply)
        try:
            reply = instance.request(request)
        except (EOFError, ConnectionError):
            assert instance is mortal
            instance = other
            reply = instance.request(request)
    mortal.end()
    return reply, instance is other


@pytest.mark.parametrize("single_use", [False, True], ids=["any use", "single use"])
@pytest.mark.parametrize("kind", STORES)
def test_wherever_a_process_dies_no_effect_is_repeated_and_none_is_lost_unreported(
    kind: str, single_use: bool, tmp_path: Path
) -> None:
    setup = Setup(url_of(kind, tmp_path), single_use, tmp_path)
    outcomes: dict[str, set[str]] = {}
    other = Instance(setup)
    for at in range(1, 100):
        order = f"order-{at}"
        reply, died = finish(Instance(setup, at), other, order)
        world = Counter(line for line in setup.world.lines() if line.endswith(f" {order}"))
        assert all(count == 1 for count in world.values()), (order, world)
        if not died:
            assert reply["content"][0]["text"] == f"ship {order} accept accept"
            break
        point = setup.deaths.lines()[-1]
        if "error" in reply:
            assert reply["reason"] in ("interrupted", "being_processed"), reply
            outcomes.setdefault(point, set()).add("reported")
        else:
            assert {f"done {effect} {order}" for effect in EFFECTS} <= world.keys(), (point, world)
            outcomes.setdefault(point, set()).add("finished")
    else:
        pytest.fail("the order never finished without a death")
    other.end()
    reported = {point for point, seen in outcomes.items() if seen == {"reported"}}
    finished = {point for point, seen in outcomes.items() if seen == {"finished"}}
    if single_use:
        # A redeemed state is not resumed: only whoever died before its claim or after its outcome was stored goes on.
        assert finished >= {"before the reply"}
        assert reported >= {*INSIDE_ONCE, "before swap once", "after write once"}
    else:
        assert reported == INSIDE_ONCE
        assert finished == outcomes.keys() - INSIDE_ONCE


class Fleet:
    """Instances that die one after the other and are replaced at once."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._chance = random.Random(20260728)
        self._lock = threading.Lock()
        self.deaths = 0

    def fuse(self) -> int:
        with self._lock:
            return self._chance.randint(1, 300)

    @contextmanager
    def worker(self) -> Iterator[list[Instance]]:
        held = [Instance(self._setup, self.fuse())]
        try:
            yield held
        finally:
            held[0].end()

    def request(self, held: list[Instance], request: dict[str, Any]) -> dict[str, Any]:
        """As often as it takes, the same request."""
        while True:
            try:
                return held[0].request(request)
            except (EOFError, ConnectionError):
                with self._lock:
                    self.deaths += 1
                held[0].end()
                held[0] = Instance(self._setup, self.fuse())


@pytest.mark.parametrize("kind", STORES)
def test_a_thousand_flows_on_instances_that_keep_dying_do_each_effect_once(
    kind: str, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    setup = Setup(url_of(kind, tmp_path), False, tmp_path)
    fleet = Fleet(setup)
    orders = iter([f"order-{number}" for number in range(FLOWS)])
    replies: dict[str, dict[str, Any]] = {}

    def work(_: int) -> None:
        with fleet.worker() as held:
            for order in orders:
                reply: dict[str, Any] | None = None
                while reply is None or not is_final(reply):
                    reply = fleet.request(held, next_request(order, reply))
                replies[order] = reply

    with ThreadPoolExecutor(WORKERS) as threads:
        list(threads.map(work, range(WORKERS)))

    world = Counter(setup.world.lines())
    deaths = Counter(setup.deaths.lines())
    reported = {order for order, reply in replies.items() if "error" in reply}
    assert len(replies) == FLOWS
    assert all(count == 1 for count in world.values())
    for order in replies.keys() - reported:
        assert {f"done {effect} {order}" for effect in EFFECTS} <= world.keys()
    assert all(replies[order]["reason"] == "interrupted" for order in reported)
    # One report for each death between the claim of an effect and its stored outcome, and for no other.
    assert len(reported) == sum(deaths[point] for point in INSIDE_ONCE)
    assert fleet.deaths == sum(deaths.values()) > FLOWS // 20
    figures = (
        f"{FLOWS} flows, {fleet.deaths} deaths, {FLOWS - len(reported)} finished, {len(reported)} reported"
    )
    record_property("figures", figures)
    print(kind, figures)


@pytest.mark.parametrize("kind", STORES)
def test_two_hundred_redemptions_by_four_processes_charge_once_and_get_one_reply(
    kind: str, tmp_path: Path
) -> None:
    setup = Setup(url_of(kind, tmp_path), True, tmp_path)
    instances = [Instance(setup) for _ in range(WORKERS)]
    asked = instances[0].request(next_request("order"))
    request = next_request("order", asked)

    def redeem(instance: Instance) -> list[dict[str, Any]]:
        return [instance.request(request) for _ in range(200 // WORKERS)]

    with ThreadPoolExecutor(WORKERS) as threads:
        replies = [reply for batch in threads.map(redeem, instances) for reply in batch]
    assert len(replies) == 200
    assert all(reply.get("inputRequests") == replies[0]["inputRequests"] for reply in replies)
    assert setup.world.lines() == ["begun charge order", "done charge order"]

    follow_ups = [next_request("order", reply) for reply in replies[:WORKERS]]
    finals = [instance.request(follow_up) for instance, follow_up in zip(instances, follow_ups, strict=True)]
    assert all(final["content"] == finals[0]["content"] for final in finals)
    assert len(setup.world.lines()) == 4
    for instance in instances:
        instance.end()
