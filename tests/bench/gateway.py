"""What a gateway adds to a call: `python tests/bench/gateway.py`.

Medians of wall-clock time over calls that take turns, everything over stdio, with the same old server behind:

* a call that never asks, beside a direct one on an older protocol, and beside one through a proxy that does nothing but
  forward: what the SDK's server in front costs by itself
* a call with two asks (three rounds, held), beside a direct one. In each of the two that ask, 25 ms are waited for
  questions that are asked at the same time.
"""

from __future__ import annotations

import logging
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult
from table import Row, show

OLD = Path(__file__).parents[1] / "gateway" / "old_server.py"
FORWARDING = OLD.with_name("forwarding.py")
CALLS = 200
Measured = Callable[[], Awaitable[Any]]


async def yes(context: object, params: object) -> ElicitResult:
    return ElicitResult(action="accept", content={"sure": True})


def stdio(*arguments: str) -> StdioServerParameters:
    path = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return StdioServerParameters(command=sys.executable, args=list(arguments), env=path)


async def medians(*measured: Measured) -> list[float]:
    """Milliseconds of each, taking turns."""
    times: list[list[float]] = [[] for _ in measured]
    for _ in range(CALLS):
        for run, taken in zip(measured, times, strict=True):
            start = time.perf_counter()
            await run()
            taken.append(1000 * (time.perf_counter() - start))
    return [statistics.median(taken) for taken in times]


async def compare(
    what: str, tool: str, arguments: dict[str, Any], ours: Client, **beside: Client
) -> list[Row]:
    """The gateway beside each of the others."""
    clients = [ours, *beside.values()]
    for client in clients:
        await client.list_tools()
        await client.call_tool(tool, arguments)
    taken, *others = await medians(*(partial(client.call_tool, tool, arguments) for client in clients))
    return [Row(what, taken, "ms", name, other) for name, other in zip(beside, others, strict=True)]


async def measured() -> list[Row]:
    old = (str(OLD), str(Path(tempfile.mkdtemp()) / "journal"))
    behind = ("--", sys.executable, *old)
    async with (
        Client(stdio(*old), mode="legacy", elicitation_callback=yes) as direct,
        Client(stdio(str(FORWARDING), sys.executable, *old)) as forwarded,
        Client(stdio("-m", "mrtr_adapter.cli", "wrap", *behind), elicitation_callback=yes) as gateway,
    ):
        return [
            *await compare(
                "gateway: a call that never asks", "whoami", {}, gateway, direct=direct, forwarded=forwarded
            ),
            *await compare("gateway: a call that asks twice", "pay", {"amount": 1}, gateway, direct=direct),
        ]


if __name__ == "__main__":
    logging.disable(logging.INFO)
    show(anyio.run(measured))
