"""What a store costs: `python tests/bench/stores.py [redis://HOST:PORT/DB]`.

Medians in milliseconds, in process, for a tool with one question: the round that answers it, of which

* nothing is stored
* the state is redeemed once (claim and reply)
* the state is redeemed once, and an effect is recorded by `once` (two operations more)

and for each store by itself: one swap of a new key.
"""

from __future__ import annotations

import logging
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path

import anyio
from mcp.server.mcpserver import Context, MCPServer

sys.path.pop(0)  # this folder, whose adapter.py would be in the way
sys.path.insert(0, str(Path(__file__).parents[1]))

from adapter.rounds import KEY, YES, call
from adapter.servers import Ok
from mrtr_adapter import adapt, once
from mrtr_adapter.stores import open_store

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

FLOWS = 200


def shop(url: str | None, *, single_use: bool, records: bool) -> MCPServer:
    server = MCPServer("bench")

    @server.tool()
    async def buy(ctx: Context) -> str:
        answer = await ctx.elicit("Buy?", Ok)
        if records:
            await once("charge", lambda: 1)
        return answer.action

    return adapt(server, keys=[KEY], store=url, single_use=single_use)


async def answering(server: MCPServer) -> float:
    """Milliseconds of the second round, at the median."""
    took = []
    for _ in range(FLOWS):
        state = (await call(server, "buy"))["requestState"]
        began = time.perf_counter()
        await call(server, "buy", state=state, responses={"answer": YES})
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


def swapping(url: str) -> float:
    """Milliseconds of one swap, at the median."""
    store, took = open_store(url), []
    for number in range(FLOWS):
        began = time.perf_counter()
        store.swap(f"bench:{time.time_ns()}:{number}", None, b"x" * 200, 60)
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1000


async def main(urls: dict[str, str]) -> None:
    bare = await answering(shop(None, single_use=False, records=False))
    print(f"nothing stored: {bare:.2f} ms a round")
    print(f"{'store':8}{'a swap':>10}{'single use':>12}{'and once':>10}   (ms)")
    for name, url in urls.items():
        redeemed = await answering(shop(url, single_use=True, records=False))
        recorded = await answering(shop(url, single_use=True, records=True))
        print(f"{name:8}{swapping(url):10.3f}{redeemed:12.2f}{recorded:10.2f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        stores = {"memory": "memory:", "sqlite": f"sqlite:///{folder}/store.db"}
        if len(sys.argv) > 1:
            stores["redis"] = sys.argv[1]
        anyio.run(main, stores)
