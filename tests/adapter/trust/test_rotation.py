"""Keys are rotated and handlers replaced while flows are under way, instance by instance: no flow is lost."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ToolAnnotations

from adapter.rounds import YES, call
from adapter.servers import Ok
from mrtr_adapter import adapt, once
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio

OLD, NEW = "old-key-" + "o" * 40, "new-key-" + "n" * 40
PHASES = [[OLD], [OLD, NEW], [NEW, OLD], [NEW]]
INSTANCES = 3
CLIENTS = 20


class Fleet:
    """Instances with one store, each request to any of them."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.charged: Counter[str] = Counter()
        self.instances = [self.instance(PHASES[0]) for _ in range(INSTANCES)]
        self.chance = random.Random(7)

    def instance(self, keys: list[str]) -> MCPServer:
        server = MCPServer("shop")

        @server.tool(annotations=ToolAnnotations(destructive_hint=True))
        async def buy(order: str, ctx: Context) -> str:
            await ctx.elicit("Charge?", Ok)
            await once("charge", self.charged.update, [order])
            await ctx.elicit("Ship?", Ok)
            return order

        return adapt(server, keys=keys, store=self.store)

    async def request(self, order: str, **more: Any) -> dict[str, Any]:
        await anyio.sleep(self.chance.random() / 500)
        return await call(self.chance.choice(self.instances), "buy", {"order": order}, **more)

    async def buy(self, order: str) -> None:
        reply = await self.request(order)
        while reply["resultType"] != "complete":
            reply = await self.request(order, state=reply["requestState"], responses={"answer": YES})
        assert reply["content"][0]["text"] == order


async def test_three_phases_of_key_rotation_under_load_lose_no_flow() -> None:
    fleet = Fleet()
    bought: list[str] = []
    rotating = True

    async def client(number: int) -> None:
        while rotating:
            order = f"{number}-{len(bought)}"
            await fleet.buy(order)
            bought.append(order)

    async with anyio.create_task_group() as group:
        for number in range(CLIENTS):
            group.start_soon(client, number)
        for phase in PHASES[1:]:
            # As long as any state under an older key can live: here, all flows that are under way.
            seen = len(bought)
            while len(bought) < seen + 3 * CLIENTS:
                await anyio.sleep(0.01)
            for place in range(INSTANCES):
                fleet.instances[place] = fleet.instance(phase)
                await anyio.sleep(0.02)
        rotating = False
    assert len(bought) >= 9 * CLIENTS
    assert fleet.charged == Counter(bought)


async def test_a_result_under_a_key_that_has_left_the_ring_asks_to_start_over_and_does_nothing_again() -> (
    None
):
    fleet = Fleet()
    first = await fleet.request("a")
    second = await fleet.request("a", state=first["requestState"], responses={"answer": YES})
    fleet.instances = [fleet.instance([NEW])]
    for state in (first["requestState"], second["requestState"]):
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await fleet.request("a", state=state, responses={"answer": YES})
    assert fleet.charged == Counter(["a"])
