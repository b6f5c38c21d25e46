"""Of several that redeem a state at once, one runs; the others wait for its result."""

from __future__ import annotations

import json
import time

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, YES, call
from adapter.servers import Ok
from adapter.trust.single_use.deletion import Deletion
from mrtr_adapter import adapt
from mrtr_adapter.custody import claims
from mrtr_adapter.stores import Store

pytestmark = pytest.mark.anyio


async def test_of_two_hundred_redemptions_at_once_one_runs_and_all_get_its_result(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 300)  # however busy the machine
    files = Deletion(store)
    files.before_delete = lambda: anyio.sleep(0.05)
    state = await files.second()
    before, texts = files.runs, []

    async def redeem() -> None:
        texts.append((await files.why(state))["content"][0]["text"])

    async with anyio.create_task_group() as group:
        for _ in range(200):
            group.start_soon(redeem)
    assert texts == ["deleted, number 1, accept"] * 200
    assert files.runs == before + 1
    assert files.deleted == ["a"]


async def test_a_loser_gets_a_clear_error_once_it_has_waited_long_enough(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 0.3)
    files = Deletion(store)
    finish = anyio.Event()
    files.before_delete = finish.wait
    state = await files.second()
    async with anyio.create_task_group() as group:
        group.start_soon(files.why, state)
        await anyio.sleep(0.05)
        began = time.monotonic()
        with pytest.raises(
            MCPError, match=r"has been redeemed already: begun \d+ seconds ago and not finished"
        ) as caught:
            await files.why(state)
        assert time.monotonic() - began < 3
        assert caught.value.error.data == {"reason": "being_processed"}
        finish.set()
    assert (await files.why(state))["content"][0]["text"] == "deleted, number 1, accept"


async def test_a_state_that_was_given_back_goes_to_whoever_has_waited_for_it(store: Store) -> None:
    done: list[str] = []
    server = MCPServer("slow")

    @server.tool()
    async def slow(ctx: Context) -> str:
        await anyio.sleep(0.2)
        answer = await ctx.elicit("Sure?", Ok)
        done.append(answer.action)
        return answer.action

    adapt(server, keys=[KEY], store=store, single_use=True)
    state = (await call(server, "slow"))["requestState"]
    refused: list[MCPError] = []

    async def malformed() -> None:
        try:
            await call(server, "slow", state=state, responses={"answer": {"action": "perhaps"}})
        except MCPError as error:
            refused.append(error)

    async with anyio.create_task_group() as group:
        group.start_soon(malformed)
        await anyio.sleep(0.05)
        result = await call(server, "slow", state=state, responses={"answer": YES})
    assert result["content"][0]["text"] == "accept"
    assert len(refused) == 1
    assert done == ["accept"]


def test_claims_tell_whose_they_are() -> None:
    made = json.loads(claims.new_claim().removeprefix(b"claim "))
    assert made["by"].startswith("process ")
    assert abs(made["at"] - time.time()) < 5
    assert claims.new_claim() != claims.new_claim()
