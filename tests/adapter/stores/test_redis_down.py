"""A real Redis that is killed, paused, emptied or slow: calls stop with a clear error in bounded time, what was
acknowledged is not lost, and nothing is done twice."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ToolAnnotations

from adapter.rounds import KEY, YES, call
from adapter.servers import Ok
from adapter.stores.redis_process import RedisProcess, redis_process
from mrtr_adapter import adapt, once

pytestmark = pytest.mark.anyio


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisProcess]:
    with redis_process(tmp_path) as running:
        yield running


class Bank:
    """Pays once above its second question. Each request is served by a fresh instance."""

    def __init__(self, url: str, *, single_use: bool = False, **options: Any) -> None:
        self.url = url
        self.single_use = single_use
        self.options = options
        self.paid: list[str] = []
        self.while_paying: Any = lambda: None

    def __call__(self) -> MCPServer:
        server = MCPServer("bank")

        @server.tool(annotations=ToolAnnotations(destructive_hint=self.single_use))
        async def pay(ctx: Context) -> str:
            await ctx.elicit("Pay?", Ok)
            number = await once("pay", self._pay)
            await ctx.elicit("Print a receipt?", Ok)
            return f"paid, number {number}"

        return adapt(server, keys=[KEY], store=self.url, **self.options)

    def _pay(self) -> int:
        self.paid.append("paid")
        self.while_paying()
        return len(self.paid)

    async def first(self) -> str:
        return str((await call(self(), "pay"))["requestState"])

    async def go_on(self, state: str) -> dict[str, Any]:
        return await call(self(), "pay", state=state, responses={"answer": YES})


async def stopped(bank: Bank, state: str, *, within: float = 5.0) -> None:
    began = time.monotonic()
    with pytest.raises(MCPError, match="can't reach its store") as caught:
        await bank.go_on(state)
    assert time.monotonic() - began < within
    assert caught.value.error.data == {"reason": "store_unavailable"}


@pytest.mark.parametrize("single_use", [False, True])
async def test_with_a_killed_redis_nothing_is_paid_and_the_same_request_works_once_it_is_back(
    redis: RedisProcess, single_use: bool
) -> None:
    bank = Bank(redis.url, single_use=single_use)
    state = await bank.first()
    redis.kill()
    await stopped(bank, state)
    assert bank.paid == []
    redis.start()
    asked = await bank.go_on(state)
    assert (await bank.go_on(asked["requestState"]))["content"][0]["text"] == "paid, number 1"


@pytest.mark.parametrize("single_use", [False, True])
async def test_a_recorded_payment_survives_the_death_of_redis(redis: RedisProcess, single_use: bool) -> None:
    bank = Bank(redis.url, single_use=single_use)
    state = await bank.first()
    await bank.go_on(state)
    redis.kill()
    redis.start()
    again = await bank.go_on(state)
    assert "inputRequests" in again
    assert bank.paid == ["paid"]


async def test_a_payment_that_can_not_be_recorded_in_redis_rides_in_the_state(redis: RedisProcess) -> None:
    bank = Bank(redis.url)
    bank.while_paying = redis.kill
    asked = await bank.go_on(await bank.first())
    assert "inputRequests" in asked
    redis.start()
    assert (await bank.go_on(asked["requestState"]))["content"][0]["text"] == "paid, number 1"
    assert bank.paid == ["paid"]


@pytest.mark.parametrize("single_use", [False, True])
async def test_a_paused_redis_stops_the_call_in_bounded_time_and_the_same_request_works_later(
    redis: RedisProcess, single_use: bool
) -> None:
    bank = Bank(redis.url, single_use=single_use)
    state = await bank.first()
    redis.pause()
    await stopped(bank, state)
    assert bank.paid == []
    redis.resume()
    asked = await bank.go_on(state)
    assert (await bank.go_on(asked["requestState"]))["content"][0]["text"] == "paid, number 1"


async def test_an_emptied_redis_never_lets_a_redeemed_state_run_again(redis: RedisProcess) -> None:
    bank = Bank(redis.url, single_use=True)
    state = await bank.first()
    await bank.go_on(state)
    redis.flush()
    with pytest.raises(MCPError, match="start the call over, without requestState") as caught:
        await bank.go_on(state)
    assert caught.value.error.data == {"reason": "state_lost"}
    assert bank.paid == ["paid"]


async def test_an_emptied_redis_loses_no_payment_of_a_round_whose_reply_arrived(redis: RedisProcess) -> None:
    bank = Bank(redis.url)
    asked = await bank.go_on(await bank.first())
    redis.flush()
    assert (await bank.go_on(asked["requestState"]))["content"][0]["text"] == "paid, number 1"
    assert bank.paid == ["paid"]


async def test_a_journal_that_redis_has_lost_asks_to_start_over(redis: RedisProcess) -> None:
    bank = Bank(redis.url, reference_above_bytes=0)
    state = await bank.first()
    redis.flush()
    with pytest.raises(MCPError, match="start the call over, without requestState") as caught:
        await bank.go_on(state)
    assert caught.value.error.data == {"reason": "state_lost"}


async def test_a_slow_redis_only_takes_longer(redis: RedisProcess) -> None:
    with SlowRedis(redis.port, seconds=0.1) as port:
        bank = Bank(f"redis://127.0.0.1:{port}/0", single_use=True)
        asked = await bank.go_on(await bank.first())
        assert (await bank.go_on(asked["requestState"]))["content"][0]["text"] == "paid, number 1"


async def test_a_redis_slower_than_its_time_stops_the_call(redis: RedisProcess) -> None:
    with SlowRedis(redis.port, seconds=1.0) as port:
        bank = Bank(f"redis://127.0.0.1:{port}/0?socket_timeout=0.2")
        await stopped(bank, await bank.first())
    assert bank.paid == []


class SlowRedis:
    """A way to Redis on which every reply takes its time."""

    def __init__(self, port: int, *, seconds: float) -> None:
        self._target = port
        self._seconds = seconds
        self._door = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> int:
        threading.Thread(target=self._accept, daemon=True).start()
        port: int = self._door.getsockname()[1]
        return port

    def __exit__(self, *exception: object) -> None:
        self._door.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=_pump, args=(client, server, 0.0), daemon=True).start()
            threading.Thread(target=_pump, args=(server, client, self._seconds), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket, seconds: float) -> None:
    try:
        while data := source.recv(65536):
            time.sleep(seconds)
            target.sendall(data)
    except OSError:
        pass
    finally:
        target.close()
