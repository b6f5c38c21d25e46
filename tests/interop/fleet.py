"""Instances of the depot that share a ledger and a key, and a front before them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interop.ledger import Ledger
from interop.serving import Instance
from mrtr_adapter.sealing.keys import new_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INSTANCES = 3


@dataclass
class Fleet:
    """Call `front.url`; each request goes to the next instance."""

    front: Instance
    instances: list[Instance]
    ledger: Ledger

    def served(self, order: str) -> int:
        """Return how many instances had a round of `order`."""
        return sum(f"to ship: {order}\n" in instance.output() for instance in self.instances)


@contextmanager
def running_fleet(folder: Path, crashes: tuple[str, ...] = (), size: int = INSTANCES) -> Iterator[Fleet]:
    """Run a fleet that keeps its files in `folder`. For `crashes` see depot_server.py."""
    ledger, key = folder / "ledger.sqlite", new_key()
    instances = [
        Instance("depot_server.py", folder / f"instance-{number}.log", key, (str(ledger), *crashes))
        for number in range(size)
    ]
    front = Instance("front.py", folder / "front.log", key, tuple(instance.url for instance in instances))
    fleet = Fleet(front, instances, Ledger(ledger).create())
    try:
        for process in [*instances, front]:
            process.start()
        yield fleet
    finally:
        for process in [front, *instances]:
            process.stop()
