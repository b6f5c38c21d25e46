"""What lies in the store: sealed, bound to its key, for as long as the flow lasts, and nothing where nothing asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, call
from adapter.trust.single_use.deletion import DESTRUCTIVE, Deletion
from adapter.trust.stores import CountingStore, opened
from mrtr_adapter import adapt
from mrtr_adapter.stores import Store
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


async def test_what_is_stored_expires_with_the_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds: list[float] = []

    class Watching(MemoryStore):
        def swap(
            self, key: str, expected: bytes | None, value: bytes | None, seconds_: float
        ) -> bytes | None:
            seconds.append(seconds_)
            return super().swap(key, expected, value, seconds_)

    files = Deletion(Watching(), lifetime=100)
    await files.why(await files.second())
    assert seconds
    assert all(100 <= each <= 161 for each in seconds)


async def test_results_lie_sealed_in_the_store(tmp_path: Path) -> None:
    files = Deletion(opened("sqlite", tmp_path))
    await files.why(await files.second(), name="a secret reason")
    stored = (tmp_path / "store.db").read_bytes() + (tmp_path / "store.db-wal").read_bytes()
    assert b"deleted, number" not in stored
    assert b"secret reason" not in stored


async def test_a_stored_result_that_was_put_under_another_key_is_not_given_out() -> None:
    store = MemoryStore()
    files = Deletion(store)
    one, other = await files.second(), await files.second()
    await files.why(one)
    await files.why(other)
    (first, second) = [key for key, (value, _) in store._kept.items() if value.startswith(b"mr1.")][-2:]
    store._kept[first], store._kept[second] = store._kept[second], store._kept[first]
    with pytest.raises(MCPError, match="no longer has what it stored"):
        await files.why(one)


async def test_a_call_that_never_asks_touches_neither_store_nor_seal(store: Store) -> None:
    counted = CountingStore(store)
    server = MCPServer("plain")

    @server.tool(annotations=DESTRUCTIVE)
    async def add(a: int, b: int) -> str:
        return str(a + b)

    adapt(server, keys=[KEY], store=counted, single_use=True)
    assert (await call(server, "add", {"a": 1, "b": 2}))["content"][0]["text"] == "3"
    assert counted.operations == []


async def test_a_round_costs_one_redemption_one_registration_and_one_reply(tmp_path: Path) -> None:
    counted = CountingStore(opened("sqlite", tmp_path))
    files = Deletion(counted)
    state = await files.first()
    assert counted.operations == [("write", "state")]
    counted.operations.clear()
    await files.sure(state)
    assert counted.operations == [("swap", "state"), ("write", "state"), ("swap", "state")]
