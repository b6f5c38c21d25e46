"""Many calls at once."""

from __future__ import annotations

import anyio
import pytest

from gateway.behind import Journal, Rounds, client_of, replace, running, settings, text
from mrtr_adapter.gateway.pool import PoolLimits

pytestmark = pytest.mark.anyio


async def test_200_calls_at_once_of_which_50_ask(journal: Journal) -> None:
    results: list[str] = []
    limits = PoolLimits(sessions=70, per_principal=70, spare=0, wait_seconds=120)
    roomy = replace(settings(journal), pool=limits)
    roomy = replace(roomy, hold=replace(roomy.hold, calls=60))
    async with running(roomy) as gateway, client_of(gateway) as client:

        async def ask(amount: int) -> None:
            call = Rounds("pay", {"amount": amount})
            while (result := await (call.agree if call.state else call.send)(client)) is None:
                pass
            results.append(text(result))

        async def plain() -> None:
            results.append(text(await client.call_tool("sleep", {"seconds": 0.01})))

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(ask, number)
                for _ in range(3):
                    group.start_soon(plain)
    assert (results.count("paid"), results.count("slept")) == (50, 150)
    assert sorted(journal.acts) == sorted([f"{act} {n}" for n in range(50) for act in ("reserved", "paid")])
