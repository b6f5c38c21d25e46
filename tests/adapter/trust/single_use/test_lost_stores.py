"""A store that is down, emptied or not there: nothing is redeemed twice, and the client is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from adapter.trust.single_use.deletion import Deletion
from adapter.trust.stores import SwitchedStore, opened
from mrtr_adapter.custody import claims
from mrtr_adapter.stores import Store

pytestmark = pytest.mark.anyio


async def test_what_a_store_has_lost_can_not_be_redeemed_a_second_time(tmp_path: Path) -> None:
    files = Deletion(opened("sqlite", tmp_path))
    state = await files.second()
    await files.why(state)
    (tmp_path / "emptied").mkdir()
    files.store = opened("sqlite", tmp_path / "emptied")
    with pytest.raises(MCPError, match="no longer has what it stored") as caught:
        await files.why(state)
    assert caught.value.error.data == {"reason": "state_lost"}
    assert files.deleted == ["a"]


async def test_an_instance_without_the_store_refuses_a_state_that_is_registered_in_one(
    tmp_path: Path,
) -> None:
    files = Deletion(opened("sqlite", tmp_path))
    state = await files.first()
    files.store = None
    with pytest.raises(MCPError, match="can't reach its store"):
        await files.sure(state)


async def test_a_store_that_is_down_stops_the_call_before_anything_runs_and_it_may_be_sent_again(
    store: Store,
) -> None:
    switched = SwitchedStore(store)
    files = Deletion(switched)
    state = await files.second()
    runs = files.runs
    switched.down = True
    with pytest.raises(MCPError, match="can't reach its store") as caught:
        await files.why(state)
    assert caught.value.error.data == {"reason": "store_unavailable"}
    assert files.runs == runs
    switched.down = False
    assert (await files.why(state))["content"][0]["text"] == "deleted, number 1, accept"


async def test_a_reply_that_can_not_be_stored_still_reaches_the_client_and_is_never_repeated(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(claims, "WAIT_SECONDS", 0.1)
    switched = SwitchedStore(store)
    files = Deletion(switched)
    files.before_delete = lambda: setattr(switched, "down", True)
    state = await files.second()
    assert (await files.why(state))["content"][0]["text"] == "deleted, number 1, accept"
    assert "an outcome could not be stored" in caplog.text
    switched.down = False
    with pytest.raises(MCPError, match="has been redeemed already"):
        await files.why(state)
    assert files.deleted == ["a"]


async def test_without_a_store_another_instance_can_still_finish_the_flow() -> None:
    files = Deletion(None)
    assert (await files.why(await files.second()))["content"][0]["text"] == "deleted, number 1, accept"
