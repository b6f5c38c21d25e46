"""How many flows 1, 2 and 4 instances get through behind a front that keeps no session with any of them.

    python tests/bench/fleet.py

Every flow has two or three rounds of questions, and each round reaches the next instance. Clients, front and
instances share this machine's processors, so the figures say what another instance costs there as much as what it
brings. A flow that can't be resumed counts as failed; there must be none.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import redirect_stdout
from itertools import count
from pathlib import Path

import anyio

sys.path.insert(1, str(Path(__file__).parents[1]))

from table import Row, show

from interop.fleet import Fleet, running_fleet
from interop.test_fleet import Clients, connections, parcel, text

SIZES = (1, 2, 4)
CLIENTS = 16
SECONDS = 8.0


async def throughput(fleet: Fleet) -> tuple[float, int]:
    """Flows a second while as many clients as `CLIENTS` begin one after another, and how many failed."""
    clients, numbers, failed = Clients(fleet), count(), 0
    began = time.perf_counter()

    async def shipping() -> None:
        nonlocal failed
        async with connections() as http:
            while time.perf_counter() - began < SECONDS:
                order = f"order-{next(numbers)}"
                try:
                    await clients.ship(http, order)
                except RuntimeError as error:
                    print(f"{order}: {error}", file=sys.stderr)
                failed += order not in clients.outcomes or text(clients.outcomes[order]) != parcel(order)

    async with anyio.create_task_group() as tasks:
        for _ in range(CLIENTS):
            tasks.start_soon(shipping)
    return len(clients.outcomes) / (time.perf_counter() - began), failed


async def measured(folder: Path) -> AsyncIterator[Row]:
    alone: float | None = None
    for size in SIZES:
        with tempfile.TemporaryDirectory(dir=folder) as place, running_fleet(Path(place), size=size) as fleet:
            await throughput(fleet)  # warm
            flows, failed = await throughput(fleet)
        yield Row(f"flows through {size} instance{'s' * (size > 1)}", flows, "/s", "1 instance", alone)
        yield Row(f"failed resumes with {size} instance{'s' * (size > 1)}", failed, "")
        alone = alone or flows


def rows() -> Iterator[Row]:
    async def collected(folder: Path) -> list[Row]:
        return [row async for row in measured(folder)]

    # Instances that stop print their logs.
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        found = anyio.run(collected, Path(folder))
    yield from found


if __name__ == "__main__":
    show(rows())
