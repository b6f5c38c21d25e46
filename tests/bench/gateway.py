"""What a gateway adds to a call: `python tests/bench/gateway.py`.

Medians of wall-clock time over calls that take turns, everything over stdio, with the same old server behind:

* a call that never asks: through the gateway / direct on an older protocol
* a call with two asks: through the gateway (three rounds, held) / direct
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

OLD = Path(__file__).parents[1] / "gateway" / "old_server.py"
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


async def main() -> None:
    journal = str(Path(tempfile.mkdtemp()) / "journal")
    old = (str(OLD), journal)
    through = stdio("-m", "mrtr_adapter.cli", "wrap", "--", sys.executable, *old)
    async with (
        Client(stdio(*old), mode="legacy", elicitation_callback=yes) as direct,
        Client(through, elicitation_callback=yes) as wrapped,
    ):
        for title, tool, arguments in (("never asks", "whoami", {}), ("asks twice", "pay", {"amount": 1})):
            for client in (direct, wrapped):
                await client.list_tools()
                await client.call_tool(tool, arguments)
            before, after = await medians(
                lambda tool=tool, arguments=arguments: direct.call_tool(tool, arguments),
                lambda tool=tool, arguments=arguments: wrapped.call_tool(tool, arguments),
            )
            print(
                f"a call that {title}: direct {before:.2f} ms, gateway {after:.2f} ms, ratio {after / before:.2f}"
            )


anyio.run(main)
