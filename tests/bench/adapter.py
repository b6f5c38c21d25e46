"""What the adapter costs: `python tests/bench/adapter.py`.

Ratios within one run, in process: medians of CPU time over batches that take turns.

* a call that never asks: adapted / raw SDK
* a call with one ask, both rounds: adapted / the SDK's own `Resolve`
* the state on the wire for 1, 3 and 10 answers, beside that of `Resolve`
* the cost of a round as the number of answers that it replays grows
"""

from __future__ import annotations

import logging
import statistics
import sys
import time
import warnings
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import anyio
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import ElicitResult, InputRequiredResult
from pydantic import BaseModel

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


async def paired(first: Measured, second: Measured, *, batches: int, calls: int) -> tuple[float, float]:
    """Median CPU microseconds a call of each, in batches that take turns."""
    took: tuple[list[float], list[float]] = ([], [])
    for measure in (first, second):
        await measure()
    for _ in range(batches):
        for measure, times in zip((first, second), took, strict=True):
            begin = time.process_time()
            for _ in range(calls):
                await measure()
            times.append((time.process_time() - begin) / calls * 1e6)
    return statistics.median(took[0]), statistics.median(took[1])


async def refuse(*_: Any) -> Any:
    raise AssertionError("pushed on 2026-07-28")


async def never_asks() -> None:
    async with Client(plain()) as raw, Client(adapt(plain(), keys=[KEY])) as adapted:

        async def call(client: Client) -> None:
            await client.session.call_tool("add", {"a": 1, "b": 2})

        cost = await paired(lambda: call(adapted), lambda: call(raw), batches=150, calls=40)
    show("a call that never asks, adapted / raw", *cost, "at most 1.05")


async def one_ask() -> None:
    async with (
        Client(adapt(asking(1), keys=[KEY]), elicitation_callback=refuse) as adapted,
        Client(resolving(1), elicitation_callback=refuse) as resolve,
    ):
        cost = await paired(
            lambda: _ignore(drive(adapted, 1)), lambda: _ignore(drive(resolve, 1)), batches=100, calls=5
        )
    show("a call with one ask, adapted / Resolve", *cost, "at most 1.10")


async def sizes() -> None:
    print("\nanswers   state, adapted   state, Resolve   (characters, last round)")
    for count in (1, 3, 10):
        adapted = adapt(asking(count), keys=[KEY], max_rounds=count)
        async with (
            Client(adapted, elicitation_callback=refuse) as ours,
            Client(resolving(count), elicitation_callback=refuse) as theirs,
        ):
            mine, sdk = (await drive(ours, count))[-1], (await drive(theirs, count))[-1]
        print(f"{count:7}   {mine:14}   {sdk:14}")


async def growth() -> None:
    print("\nanswers replayed   microseconds a round")
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
                print(f"{answered:16}   {statistics.median(times):20.0f}")
            if isinstance(result, InputRequiredResult):
                state = result.request_state
                responses = {
                    k: ElicitResult(action="accept", content={"name": "Ada"})
                    for k in result.input_requests or {}
                }


async def _ignore(work: Awaitable[Any]) -> None:
    await work


def show(what: str, ours: float, theirs: float, target: str) -> None:
    print(f"{what}: {ours:.0f} / {theirs:.0f} microseconds = {ours / theirs:.3f}   ({target})")


async def main() -> None:
    await never_asks()
    await one_ask()
    await sizes()
    await growth()


if __name__ == "__main__":
    sys.exit(anyio.run(main))
