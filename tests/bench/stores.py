"""What a store costs: `python tests/bench/stores.py [--redis redis://HOST:PORT/DB]`.

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
from table import Row, show

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


async def measured(urls: dict[str, str]) -> list[Row]:
    bare = await answering(shop(None, single_use=False, records=False))
    rows = []
    for name, url in urls.items():
        redeemed = await answering(shop(url, single_use=True, records=False))
        recorded = await answering(shop(url, single_use=True, records=True))
        rows += [
            Row(f"one swap in {name}", swapping(url), "ms"),
            Row(f"a round redeemed once, {name}", redeemed, "ms", "no store", bare),
            Row(f"and an effect recorded by once, {name}", recorded, "ms", "no store", bare),
        ]
    return rows


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        stores = {"memory": "memory:", "SQLite": f"sqlite:///{folder}/store.db"}
        if "--redis" in sys.argv:
            stores["Redis"] = sys.argv[sys.argv.index("--redis") + 1]
        show(anyio.run(measured, stores))
