"""`once` with a store: one effect for all replays of a flow, wherever they run and whenever the store fails."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import YES, call, play_tool
from adapter.servers import Ok, serving
from adapter.trust.stores import KINDS, CountingStore, SwitchedStore, opened
from mrtr_adapter import once
from mrtr_adapter.custody import claims
from mrtr_adapter.stores import Store

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return opened(request.param, tmp_path)


class Bank:
    """Charges between two questions."""

    def __init__(self, store: Store | None) -> None:
        self.charged = 0
        self.during: Callable[[], Any] = lambda: None
        self.make = serving(self._handle, store=store)

    async def _charge(self) -> int:
        self.charged += 1
        waiting = self.during()
        if waiting is not None:
            await waiting
        return self.charged

    async def _handle(self, ctx: Context) -> str:
        await ctx.elicit("Charge?", Ok)
        number = await once("charge", self._charge)
        await ctx.elicit("Ship?", Ok)
        return f"charge {number}"

    async def first(self) -> str:
        return str((await call(self.make(), "tool"))["requestState"])

    async def go_on(self, state: str) -> dict[str, Any]:
        return await call(self.make(), "tool", state=state, responses={"answer": YES})


async def test_fifty_replays_of_one_state_at_once_charge_once_and_all_go_on(store: Store) -> None:
    bank = Bank(store)
    bank.during = lambda: anyio.sleep(0.05)
    state, replies = await bank.first(), []

    async def replay() -> None:
        replies.append(await bank.go_on(state))

    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(replay)
    assert bank.charged == 1
    for reply in replies[:5]:
        assert (await bank.go_on(reply["requestState"]))["content"][0]["text"] == "charge 1"


async def test_a_claim_draws_nothing_from_the_recorded_randomness_of_its_flow(store: Store) -> None:
    async def handler(ctx: Context) -> str:
        seen.add(await _claim_of(store, ctx))
        return (await ctx.elicit(f"Sure about {uuid4()}?", Ok)).action

    async def _claim_of(store: Store, ctx: Context) -> bytes:
        claim = claims.new_claim()
        await once("charge", lambda: 1)
        return claim.partition(b'"id"')[2]

    seen: set[bytes] = set()
    played = await play_tool(serving(handler, store=store), "tool", lambda key, request: YES)
    assert len(seen) == len(played.rounds) + 1 == 2


async def test_a_replay_after_a_lost_reply_finds_the_charge_in_the_store(store: Store) -> None:
    bank = Bank(store)
    state = await bank.first()
    await bank.go_on(state)
    again = await bank.go_on(state)
    assert (await bank.go_on(again["requestState"]))["content"][0]["text"] == "charge 1"
    assert bank.charged == 1


async def test_without_a_store_a_lost_reply_loses_the_record_as_documented() -> None:
    bank = Bank(None)
    state = await bank.first()
    await bank.go_on(state)
    await bank.go_on(state)
    assert bank.charged == 2


async def test_a_charge_that_is_under_way_elsewhere_is_waited_for_and_then_reported(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 0.3)
    bank, finish = Bank(store), anyio.Event()
    bank.during = finish.wait
    state = await bank.first()
    async with anyio.create_task_group() as group:
        group.start_soon(bank.go_on, state)
        await anyio.sleep(0.1)
        with caplog.at_level(logging.ERROR, "mrtr"), pytest.raises(MCPError) as caught:
            await bank.go_on(state)
        finish.set()
    assert caught.value.error.data == {"reason": "interrupted"}
    assert re.search(r"once\('charge'\) was begun \d+ seconds ago and not finished", caught.value.message)
    assert "process" not in caught.value.message
    assert "(by process " in caplog.text
    assert bank.charged == 1
    assert "inputRequests" in await bank.go_on(state)


async def test_with_a_store_that_is_down_nothing_is_charged_whatever_the_handler_catches(
    store: Store,
) -> None:
    switched, charged = SwitchedStore(store), []

    async def handler(ctx: Context) -> str:
        try:
            await once("charge", charged.append, 1)
        except Exception:
            charged.append("went on")
        return (await ctx.elicit("Ship?", Ok)).action

    switched.down = True
    with pytest.raises(MCPError, match="can't reach its store"):
        await call(serving(handler, store=switched)(), "tool")
    assert charged == []


async def test_a_store_that_fails_after_the_charge_does_not_lose_it(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    switched = SwitchedStore(store)
    bank = Bank(switched)
    bank.during = lambda: setattr(switched, "down", True)
    asked = await bank.go_on(await bank.first())
    assert "once('charge') was done, and its outcome could not be stored" in caplog.text
    assert (await bank.go_on(asked["requestState"]))["content"][0]["text"] == "charge 1"
    assert bank.charged == 1


async def test_a_client_that_hangs_up_does_not_break_a_charge_off(store: Store) -> None:
    bank = Bank(store)
    bank.during = lambda: anyio.sleep(0.2)
    state = await bank.first()
    with anyio.move_on_after(0.1):
        await bank.go_on(state)
    again = await bank.go_on(state)
    assert (await bank.go_on(again["requestState"]))["content"][0]["text"] == "charge 1"
    assert bank.charged == 1


async def test_a_failure_that_is_not_recorded_gives_its_claim_back(store: Store) -> None:
    tries: list[int] = []

    def flaky() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ConnectionError("no way to the bank")
        return "charged"

    async def handler(ctx: Context) -> str:
        await ctx.elicit("Charge?", Ok)
        return await once("charge", flaky, errors=())

    make = serving(handler, store=store)
    state = (await call(make(), "tool"))["requestState"]
    assert (await call(make(), "tool", state=state, responses={"answer": YES}))["isError"]
    result = await call(make(), "tool", state=state, responses={"answer": YES})
    assert result["content"][0]["text"] == "charged"


async def test_a_once_costs_one_claim_and_one_record_and_nothing_in_its_replays(store: Store) -> None:
    counted = CountingStore(store)

    async def handler(ctx: Context) -> str:
        await once("charge", lambda: 1)
        answers = [(await ctx.elicit(f"Sure {number}?", Ok)).action for number in range(3)]
        return " ".join(answers)

    played = await play_tool(serving(handler, store=counted), "tool", lambda key, request: YES)
    assert played.text == "accept accept accept"
    assert counted.operations == [("swap", "once"), ("write", "once")]


async def test_an_mcpserver_and_a_store_of_ones_own_are_enough(tmp_path: Path) -> None:
    """The interface is three methods and two flags; `CountingStore` is one of somebody else's."""
    from mrtr_adapter import adapt

    own = CountingStore(opened("memory", tmp_path))
    assert isinstance(own, Store)
    assert adapt(MCPServer("own"), store=own)
