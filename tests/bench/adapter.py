"""What the adapter costs: `python tests/bench/adapter.py`.

Ratios within one run: medians over batches that take turns, of wall time over HTTP to server processes of their own,
and of CPU time in process, where the plain SDK has next to nothing to do and every microsecond of ours shows.

* a call that never asks: adapted / raw SDK
* a call with one ask, both rounds: adapted / the SDK's own `Resolve`
* the state on the wire for 1, 3 and 10 answers, beside that of `Resolve`
* the cost of a round as the number of answers that it replays grows
"""

from __future__ import annotations

import logging
import socket
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import anyio
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import ElicitResult, InputRequiredResult
from pydantic import BaseModel
from table import Row, peak_mib, show

from mrtr_adapter import adapt

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

KEY = "bench-key-" + "k" * 40
ROUNDS = 100
Measured = Callable[[], Awaitable[None]]


class Name(BaseModel):
    name: str


def plain() -> MCPServer:
    server = MCPServer("bench")

    @server.tool()
    async def add(a: int, b: int) -> str:
        return str(a + b)

    return server


def asking(count: int) -> MCPServer:
    server = MCPServer("bench")

    @server.tool()
    async def ask(ctx: Context) -> str:
        names = []
        for number in range(count):
            answer = await ctx.elicit(f"Name {number}?", Name)
            names.append(answer.data.name if answer.action == "accept" else "")
        return ",".join(names)

    return server


def resolving(count: int) -> MCPServer:
    """The same questions as `asking`, in the SDK's own form: a chain of resolvers, one question a round."""
    server = MCPServer("bench")
    scope: dict[str, Any] = {"Annotated": Annotated, "Resolve": Resolve, "Elicit": Elicit, "Name": Name}
    for number in range(count):
        before = f"before: Annotated[Name, Resolve(name_{number - 1})]" if number else ""
        exec(
            f"async def name_{number}({before}) -> Elicit[Name]:\n return Elicit('Name {number}?', Name)",
            scope,
        )
    parameters = ", ".join(f"n{n}: Annotated[Name, Resolve(name_{n})]" for n in range(count))
    joined = " + ',' + ".join(f"n{n}.name" for n in range(count))
    exec(f"async def ask({parameters}) -> str:\n return {joined}", scope)
    server.tool()(scope["ask"])
    return server


async def drive(client: Client, answers: int, tool: str = "ask") -> list[int]:
    """All rounds of one flow; the size of each state."""
    responses: dict[str, Any] | None = None
    state: str | None = None
    sizes = []
    for _ in range(answers + 1):
        result = await client.session.call_tool(
            tool, {}, allow_input_required=True, input_responses=responses, request_state=state
        )
        if not isinstance(result, InputRequiredResult):
            return sizes
        state = result.request_state
        sizes.append(len(state or ""))
        responses = {
            key: ElicitResult(action="accept", content={"name": "Ada Lovelace"})
            for key in result.input_requests or {}
        }
    raise AssertionError("the flow did not end")


Clock = Callable[[], float]


async def paired(
    first: Measured, second: Measured, *, batches: int, calls: int, clock: Clock = time.process_time
) -> tuple[float, float]:
    """Median microseconds a call of each, in batches that take turns."""
    took: tuple[list[float], list[float]] = ([], [])
    for measure in (first, second):
        await measure()
    for _ in range(batches):
        for measure, times in zip((first, second), took, strict=True):
            begin = clock()
            for _ in range(calls):
                await measure()
            times.append((clock() - begin) / calls * 1e6)
    return statistics.median(took[0]), statistics.median(took[1])


async def refuse(*_: Any) -> Any:
    raise AssertionError("pushed on 2026-07-28")


SERVERS: dict[str, Callable[[], MCPServer]] = {
    "raw": plain,
    "adapted": lambda: adapt(plain(), keys=[KEY]),
    "resolve": lambda: resolving(1),
    "asking": lambda: adapt(asking(1), keys=[KEY]),
}


async def add(client: Client) -> None:
    await client.session.call_tool("add", {"a": 1, "b": 2})


async def never_asks(raw: Any, adapted: Any, where: str, **how: Any) -> Row:
    async with Client(raw) as first, Client(adapted) as second:
        ours, theirs = await paired(lambda: add(second), lambda: add(first), **how)
    return Row(f"a call that never asks, {where}", ours, "µs", "raw SDK", theirs)


async def one_ask(resolve: Any, adapted: Any, where: str, **how: Any) -> Row:
    async with (
        Client(resolve, elicitation_callback=refuse) as first,
        Client(adapted, elicitation_callback=refuse) as second,
    ):
        ours, theirs = await paired(
            lambda: _ignore(drive(second, 1)), lambda: _ignore(drive(first, 1)), **how
        )
    return Row(f"both rounds of a call with one ask, {where}", ours, "µs", "Resolve", theirs)


@dataclass(frozen=True)
class Served:
    """A server in a process of its own."""

    url: str
    pid: int


@contextmanager
def served() -> Iterator[dict[str, Served]]:
    """Each of `SERVERS`."""
    processes: list[subprocess.Popen[bytes]] = []
    found = {}
    try:
        for name in SERVERS:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            processes.append(subprocess.Popen([sys.executable, __file__, "--serve", name, str(port)]))
            found[name] = Served(f"http://127.0.0.1:{port}/mcp", processes[-1].pid)
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.05)
        yield found
    finally:
        for process in processes:
            process.terminate()


async def sizes() -> AsyncIterator[Row]:
    for count in (1, 3, 10):
        adapted = adapt(asking(count), keys=[KEY], max_rounds=count)
        async with (
            Client(adapted, elicitation_callback=refuse) as ours,
            Client(resolving(count), elicitation_callback=refuse) as theirs,
        ):
            mine, sdk = (await drive(ours, count))[-1], (await drive(theirs, count))[-1]
        yield Row(f"state in the round of question {count}", mine, "characters", "Resolve", sdk)


async def growth() -> AsyncIterator[Row]:
    server = adapt(asking(ROUNDS), keys=[KEY], max_rounds=ROUNDS, max_state_bytes=1 << 20)
    async with Client(server, elicitation_callback=refuse) as client:
        responses: dict[str, Any] | None = None
        state: str | None = None
        for answered in range(ROUNDS + 1):
            again = 20 if answered in (0, 1, 10, 25, 50, 75, ROUNDS) else 1
            times = []
            for _ in range(again):
                begin = time.process_time()
                result = await client.session.call_tool(
                    "ask", {}, allow_input_required=True, input_responses=responses, request_state=state
                )
                times.append((time.process_time() - begin) * 1e6)
            if again > 1:
                yield Row(f"a round that replays {answered} answers", statistics.median(times), "µs")
            if isinstance(result, InputRequiredResult):
                state = result.request_state
                responses = {
                    k: ElicitResult(action="accept", content={"name": "Ada"})
                    for k in result.input_requests or {}
                }


async def _ignore(work: Awaitable[Any]) -> None:
    await work


async def measured() -> AsyncIterator[Row]:
    with served() as at:
        how: dict[str, Any] = {"batches": 100, "clock": time.perf_counter}
        yield await never_asks(at["raw"].url, at["adapted"].url, "over HTTP", calls=10, **how)
        yield await one_ask(at["resolve"].url, at["asking"].url, "over HTTP", calls=5, **how)
        yield Row(
            "peak memory of the server that never asks",
            peak_mib(at["adapted"].pid),
            "MiB",
            "raw SDK",
            peak_mib(at["raw"].pid),
        )
    yield await never_asks(SERVERS["raw"](), SERVERS["adapted"](), "in process", batches=150, calls=40)
    yield await one_ask(SERVERS["resolve"](), SERVERS["asking"](), "in process", batches=100, calls=5)
    async for row in sizes():
        yield row
    async for row in growth():
        yield row


async def main() -> None:
    show([row async for row in measured()])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        SERVERS[sys.argv[2]]().run(
            "streamable-http", host="127.0.0.1", port=int(sys.argv[3]), json_response=True
        )
    else:
        anyio.run(main)
