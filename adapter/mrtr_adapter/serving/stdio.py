"""Serving over stdin and stdout, for a client that starts the server itself."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server

if TYPE_CHECKING:
    from mrtr_adapter.serving.servers import AnyServer


async def serve_stdio(server: AnyServer) -> None:
    """Serve until the client closes stdin, or SIGTERM or SIGINT comes, which is taken for the same."""
    async with (
        _standard_input() as (lines, hang_up),
        stdio_server(cast("anyio.AsyncFile[str]", lines)) as (read, write),
        entered(server) as low,
        anyio.create_task_group() as group,
    ):
        group.start_soon(_on_signal, hang_up)
        await low.run(read, write, low.create_initialization_options())
        group.cancel_scope.cancel()


@asynccontextmanager
async def entered(server: AnyServer) -> AsyncIterator[Server[Any]]:
    """The low-level server of any kind of server, while what its framework needs is running."""
    if isinstance(server, MCPServer):
        yield server._lowlevel_server
    elif isinstance(server, Server):
        yield server
    else:
        async with server._lifespan_manager():
            yield server._mcp_server


async def _on_signal(hang_up: MemoryObjectSendStream[str]) -> None:
    if os.name != "posix":  # there Python's own handling has to do
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            hang_up.close()
            return  # a second one ends the process at once


@asynccontextmanager
async def _standard_input() -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[str], MemoryObjectSendStream[str]]
]:
    """The lines of stdin, and the end to close when no more are wanted. Handlers and their children read EOF.

    They are read by a daemon thread: nothing can interrupt a read of stdin, and the process must not wait for it.
    """
    send, receive = anyio.create_memory_object_stream[str]()
    wire = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: ASYNC230  # never blocks
        os.dup2(nothing.fileno(), 0)
    async with BlockingPortal() as portal, send, receive:
        threading.Thread(target=_pump, args=(wire, portal, send), daemon=True).start()
        yield receive, send
        await portal.stop(cancel_remaining=True)


def _pump(wire: int, portal: BlockingPortal, send: MemoryObjectSendStream[str]) -> None:
    try:
        with open(wire, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                portal.call(send.send, line)
        portal.call(send.aclose)
    except Exception:  # noqa: S110  # whatever it is, nobody reads any more
        pass
