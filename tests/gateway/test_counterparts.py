"""Real old servers behind the gateway, driven by real clients: each sees what a direct older connection shows."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from gateway.counterpart import COUNTERPARTS, USER, Counterpart, wrapped
from gateway.instance import Instance
from interop.clients import LEGACY, MODERN, Call, Seen, Server, User, fastmcp, python_sdk, typescript_sdk
from mrtr_adapter.sealing.keys import new_key

pytestmark = pytest.mark.anyio

Drive = Callable[[Server, str, User, list[Call]], Awaitable[list[Seen]]]
clients = pytest.mark.parametrize("drive", [python_sdk, typescript_sdk, fastmcp])


@dataclass
class Served:
    """A counterpart behind one gateway over HTTP, in each way that the gateway can reach it or go on with it."""

    counterpart: Counterpart
    gateway: Instance

    def url(self, way: str) -> str:
        return f"http://127.0.0.1:{self.gateway.port}/{way}/mcp"

    async def seen_by(self, drive: Drive, way: str, version: str = MODERN) -> list[Seen]:
        return self.counterpart.settled(await drive(self.url(way), version, USER, self.counterpart.calls))


@pytest.fixture(scope="module", params=COUNTERPARTS)
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    counterpart = COUNTERPARTS[request.param]
    folder = tmp_path_factory.mktemp("served")
    command = f"command = {json.dumps(counterpart.command)}"
    ways = {"held": command, "replayed": f'{command}\nhold = 0\nreplay = ["all"]'}
    with ExitStack() as stack:
        if counterpart.speaks_http:
            url = stack.enter_context(counterpart.over_http(folder / "behind.log"))
            ways["remote"] = f'url = "{url}"'
        config = folder / "servers.toml"
        config.write_text("".join(f"[servers.{way}]\n{reach}\n" for way, reach in ways.items()))
        options = ("--config", str(config))
        yield Served(
            counterpart, stack.enter_context(Instance(folder / "log", options, {"MRTR_KEYS": new_key()}))
        )


@clients
async def test_each_client_over_http_sees_what_a_direct_connection_shows(
    drive: Drive, served: Served
) -> None:
    assert await served.seen_by(drive, "held") == await served.counterpart.direct()


async def test_so_it_is_if_every_round_runs_on_a_fresh_session(served: Served) -> None:
    assert await served.seen_by(python_sdk, "replayed") == await served.counterpart.direct()


async def test_so_it_is_if_the_old_server_is_reached_over_http(served: Served) -> None:
    way = "remote" if served.counterpart.speaks_http else "held"
    assert await served.seen_by(python_sdk, way) == await served.counterpart.direct()


async def test_so_it_is_for_clients_on_older_protocols(served: Served) -> None:
    assert await served.seen_by(python_sdk, "held", LEGACY) == await served.counterpart.direct()


@clients
@pytest.mark.parametrize("name", ["mcp-1-fastmcp", "reference"])
async def test_each_client_over_stdio_sees_what_a_direct_connection_shows(name: str, drive: Drive) -> None:
    counterpart = COUNTERPARTS[name]
    seen = await drive(wrapped(counterpart.command), MODERN, USER, counterpart.calls)
    assert counterpart.settled(seen) == await counterpart.direct()


@pytest.mark.parametrize("name", ["mcp-1-low-level", "fastmcp-2", "fastmcp-3"])
async def test_the_other_servers_over_stdio(name: str) -> None:
    counterpart = COUNTERPARTS[name]
    seen = await python_sdk(wrapped(counterpart.command), MODERN, USER, counterpart.calls)
    assert counterpart.settled(seen) == await counterpart.direct()


@clients
async def test_a_page_that_an_old_error_names_is_opened_and_its_session_remembers(drive: Drive) -> None:
    """An older client would get the error -32042 and be left with it."""
    server = wrapped(COUNTERPARTS["mcp-1-fastmcp"].command)
    seen = await drive(server, MODERN, USER, [Call("tools/call", "members")])
    assert seen == [Seen(["Log in first"], "members: all of them")]
