"""What the Redis store sends: one command on one key for each operation, so that it works in a cluster too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ResponseError

from adapter.stores.redis_process import RedisProcess, redis_process
from mrtr_adapter.stores import Store, open_store

OPERATIONS: dict[str, Callable[[Store], object]] = {
    "read": lambda store: store.read("a"),
    "write": lambda store: store.write("a", b"x", 60),
    "swap": lambda store: store.swap("b", None, b"x", 60),
    "swap away": lambda store: store.swap("b", b"x", None, 60),
}


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    with redis_process(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_operation_is_one_command(redis: RedisProcess, operation: str) -> None:
    store = open_store(redis.url)
    store.read("connects")
    with Redis(port=redis.port) as client:
        before = client.info("stats")["total_commands_processed"]
        OPERATIONS[operation](store)
        after = client.info("stats")["total_commands_processed"]
    called_by_script = 2 if operation.startswith("swap") else 0
    assert after - before - 1 - called_by_script == 1


def test_it_works_on_a_node_of_a_cluster(tmp_path: Path) -> None:
    with redis_process(tmp_path, "--cluster-enabled", "yes") as node:
        with Redis(port=node.port) as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
        wait_until_it_serves(node.port)
        store = open_store(node.url)
        for number in range(20):
            key = f"state:{number}"
            assert store.swap(key, None, b"claim", 60) is None
            assert store.swap(key, b"claim", b"reply", 60) == b"claim"
            assert store.read(key) == b"reply"


def wait_until_it_serves(port: int) -> None:
    end = time.monotonic() + 20
    with Redis(port=port) as client:
        while True:
            try:
                client.get("any")
                return
            except ResponseError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
