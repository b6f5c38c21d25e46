"""FastMCP's own client and the official ones drive an adapted FastMCP server, over HTTP and stdio, on both protocols.

Over HTTP a modern client's rounds land on two instances in turn.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from interop.clients import LEGACY, MODERN
from interop.serving import Instance
from interop.test_clients import check, clients, versions
from mrtr_adapter.sealing.keys import new_key

pytestmark = pytest.mark.anyio
SERVER = str(Path(__file__).with_name("depot_server.py"))


@pytest.fixture(scope="module")
def urls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Where a client of each protocol is served."""
    folder, key = tmp_path_factory.mktemp("depot"), new_key()
    instances = [Instance(SERVER, folder / f"{number}.log", key) for number in range(2)]
    front = Instance("front.py", folder / "front.log", key, tuple(instance.url for instance in instances))
    try:
        for process in [*instances, front]:
            process.start()
        yield {MODERN: front.url, LEGACY: instances[0].url}
    finally:
        for process in [front, *instances]:
            process.stop()


@clients
@versions
async def test_over_http(drive: object, version: str, urls: dict[str, str]) -> None:
    await check(drive, urls[version], version)


@clients
@versions
async def test_over_stdio(drive: object, version: str) -> None:
    environment = {**os.environ, "MRTR_KEYS": new_key()}
    server = StdioServerParameters(command=sys.executable, args=[SERVER, "stdio"], env=environment)
    await check(drive, server, version)
