"""What does not use a state up."""

from __future__ import annotations

import time

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from adapter.rounds import call
from adapter.trust.single_use.deletion import Deletion
from adapter.trust.stores import CountingStore
from mrtr_adapter.stores import Store
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


async def test_malformed_and_missing_answers_do_not_use_a_state_up(store: Store) -> None:
    files = Deletion(store)
    state = await files.first()
    for broken in ("no object", {"action": "perhaps"}):
        with pytest.raises(MCPError, match="inputResponses"):
            await call(files(), "delete", {"path": "a"}, state=state, responses={"sure": broken})
    with pytest.raises(MCPError) as undeclared:
        await call(files(), "delete", {"path": "a"}, state=state, responses={}, capabilities={})
    assert undeclared.value.code == -32021
    assert "reason" in (await files.sure(state))["inputRequests"]


async def test_a_client_that_hangs_up_while_its_state_is_claimed_leaves_it_unused() -> None:
    class Slow(CountingStore):
        blocking = True  # type: ignore[assignment]

        def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
            time.sleep(0.2)
            return super().swap(key, expected, value, seconds)

    files = Deletion(Slow(MemoryStore()))
    state = await files.first()
    runs = files.runs
    with anyio.move_on_after(0.1):
        await files.sure(state)
    assert files.runs == runs
    assert "reason" in (await files.sure(state))["inputRequests"]


async def test_a_missing_answer_is_asked_for_again_under_a_new_state(store: Store) -> None:
    files = Deletion(store)
    state = await files.first()
    again = await call(files(), "delete", {"path": "a"}, state=state, responses={})
    assert "sure" in again["inputRequests"]
    assert "reason" in (await files.sure(again["requestState"]))["inputRequests"]
