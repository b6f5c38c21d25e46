"""Server processes that die by SIGKILL at a chosen point of their work, and a client that tries again elsewhere.

A point is: before and after each operation of the store, the beginning, middle and end of an effect, and the moment
before a reply goes out. What the effects do to the world is lines in a file.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import ToolAnnotations

from adapter.rounds import KEY, call
from adapter.servers import Name, Ok
from adapter.trust.stores import CountingStore
from mrtr_adapter import adapt, once
from mrtr_adapter.custody import claims
from mrtr_adapter.stores import Store, open_store

_PROCESSES = multiprocessing.get_context("forkserver")
_PRELOADED = ["adapter.trust.mortal", "mrtr_adapter.stores.redis", "mrtr_adapter.stores.sqlite"]
_TESTS = str(Path(__file__).parents[2])

ANSWERS: dict[str, dict[str, Any]] = {
    "card": {"action": "accept", "content": {"name": "Ada"}},
    "sure": {"action": "accept", "content": {"ok": True}},
}
EFFECTS = ("charge", "ship")


@dataclass(frozen=True)
class World:
    """The outside, as lines in a file; each line is one write, and so is there or not."""

    file: Path

    def note(self, line: str) -> None:
        handle = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{line}\n".encode())
        os.close(handle)

    def lines(self) -> list[str]:
        return self.file.read_text().splitlines() if self.file.exists() else []


class Fuse:
    """Kills this process at its `at`-th point."""

    def __init__(self, at: int | None, deaths: World) -> None:
        self._left = at
        self._deaths = deaths

    def point(self, name: str) -> None:
        if self._left is None:
            return
        self._left -= 1
        if self._left == 0:
            self._deaths.note(name)
            os.kill(os.getpid(), signal.SIGKILL)


class MortalStore(CountingStore):
    def __init__(self, inner: Store, fuse: Fuse) -> None:
        super().__init__(inner)
        self._fuse = fuse

    def read(self, key: str) -> bytes | None:
        return self._around("read", key, lambda: self.inner.read(key))

    def write(self, key: str, value: bytes, seconds: float) -> None:
        self._around("write", key, lambda: self.inner.write(key, value, seconds))

    def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
        return self._around("swap", key, lambda: self.inner.swap(key, expected, value, seconds))

    def _around(self, operation: str, key: str, work: Callable[[], Any]) -> Any:
        kind = key.partition(":")[0]
        self._fuse.point(f"before {operation} {kind}")
        done = work()
        self._fuse.point(f"after {operation} {kind}")
        return done


def shop(store: Store, single_use: bool, world: World, fuse: Fuse) -> MCPServer:
    """Charges after the first answer and ships after the second one."""
    server = MCPServer("shop")

    def effect(name: str, order: str) -> str:
        fuse.point("effect begins")
        world.note(f"begun {name} {order}")
        fuse.point("inside the effect")
        world.note(f"done {name} {order}")
        fuse.point("effect ends")
        return f"{name} {order}"

    @server.tool(annotations=ToolAnnotations(destructive_hint=single_use))
    async def buy(order: str, ctx: Context) -> str:
        card = await ctx.elicit("Which card?", Name)
        charged = await once("charge", effect, "charge", order)
        sure = await ctx.elicit(f"{charged}: ship it?", Ok)
        shipped = await once("ship", effect, "ship", order)
        return f"{shipped} {card.action} {sure.action}"

    return adapt(server, keys=[KEY], store=store)


@dataclass(frozen=True)
class Setup:
    url: str
    single_use: bool
    folder: Path

    @property
    def world(self) -> World:
        return World(self.folder / "world")

    @property
    def deaths(self) -> World:
        return World(self.folder / "deaths")


def _serve(connection: Connection, setup: Setup, at: int | None) -> None:
    claims.WAIT_SECONDS = 0.3
    logging.disable(logging.CRITICAL)
    fuse = Fuse(at, setup.deaths)
    server = shop(MortalStore(open_store(setup.url), fuse), setup.single_use, setup.world, fuse)

    async def loop() -> None:
        while True:
            retry = await anyio.to_thread.run_sync(connection.recv)
            try:
                reply = await call(server, "buy", retry.pop("arguments"), **retry)
            except MCPError as error:
                reply = {"error": error.message, "reason": (error.error.data or {}).get("reason")}
            fuse.point("before the reply")
            connection.send(reply)

    anyio.run(loop)


@cache
def _start_forkserver() -> None:
    """With all that an instance needs already imported, so that one starts in no time."""
    _PROCESSES.set_forkserver_preload(_PRELOADED)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = _TESTS  # before 3.12 it does not learn of sys.path
    try:
        forkserver.ensure_running()
    finally:
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


class Instance:
    """One server process. `request` raises EOFError or ConnectionError once it is dead."""

    def __init__(self, setup: Setup, at: int | None = None) -> None:
        _start_forkserver()
        self._ours, theirs = _PROCESSES.Pipe()
        self._process = _PROCESSES.Process(target=_serve, args=(theirs, setup, at), daemon=True)
        self._process.start()
        theirs.close()

    def request(self, retry: Mapping[str, Any]) -> dict[str, Any]:
        self._ours.send(dict(retry))
        reply: dict[str, Any] = self._ours.recv()
        return reply

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()


def next_request(order: str, reply: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The first request of an order, or the one that answers `reply`."""
    request: dict[str, Any] = {"arguments": {"order": order}}
    if reply is not None:
        request["state"] = reply["requestState"]
        request["responses"] = {key: ANSWERS[key] for key in reply["inputRequests"]}
    return request


def is_final(reply: Mapping[str, Any]) -> bool:
    return "error" in reply or reply["resultType"] == "complete"
