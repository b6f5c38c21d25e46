"""Serving over stdin and stdout, for a client that starts the server itself."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server

from mrtr_adapter.serving.pipes import PipeWriter, can_be_waited_for, lines_of
from mrtr_adapter.serving.refusal import CannotServe

if TYPE_CHECKING:
    from mrtr_adapter.serving.servers import AnyServer


def person_at_stdin() -> bool:
    """Whether a terminal, and no client, is at the other end.

    Raises:
        CannotServe: a standard stream is closed, so that nobody can be there.
    """
    if sys.stdin is None or sys.stdout is None:
        raise CannotServe(
            "stdin or stdout is closed, and a client speaks MCP on them: have the client start this command, or give "
            "--http 127.0.0.1:8000"
        )
    return sys.stdin.isatty()


async def serve_stdio(server: AnyServer) -> None:
    """Serve until the client closes stdin, or SIGTERM or SIGINT comes, which is taken for the same."""
    async with (
        _standard_input() as (lines, hang_up),
        _standard_output() as written,
        stdio_server(cast("anyio.AsyncFile[str]", lines), written) as (read, write),
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

    What is no pipe is read by a daemon thread: nothing can interrupt such a read, and the process must not wait for it.
    """
    send, receive = anyio.create_memory_object_stream[str]()
    wire = os.dup(0)
    with open(os.devnull, "rb") as nothing:  # noqa: ASYNC230  # never blocks
        os.dup2(nothing.fileno(), 0)
    reading = _read_pipe if can_be_waited_for(wire) else _read_by_thread
    async with reading(wire, send), send, receive:
        yield receive, send


@asynccontextmanager
async def _read_pipe(wire: int, send: MemoryObjectSendStream[str]) -> AsyncIterator[None]:
    async def pump() -> None:
        # Nobody reads any more, or the other end is gone in whatever way.
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            async for line in lines_of(wire):
                await send.send(line)
        send.close()

    async with anyio.create_task_group() as group:
        group.start_soon(pump)
        yield
        group.cancel_scope.cancel()


@asynccontextmanager
async def _read_by_thread(wire: int, send: MemoryObjectSendStream[str]) -> AsyncIterator[None]:
    async with BlockingPortal() as portal:
        threading.Thread(target=_pump, args=(wire, portal, send), daemon=True).start()
        yield
        await portal.stop(cancel_remaining=True)


def _pump(wire: int, portal: BlockingPortal, send: MemoryObjectSendStream[str]) -> None:
    try:
        with open(wire, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                portal.call(send.send, line)
        portal.call(send.aclose)
    except Exception:  # noqa: S110  # whatever it is, nobody reads any more
        pass


@asynccontextmanager
async def _standard_output() -> AsyncIterator[anyio.AsyncFile[str] | None]:
    """Where messages are written; None if that is no pipe, and the SDK's own way will do. What handlers and their
    children print goes to stderr."""
    if not can_be_waited_for(1):
        yield None
        return
    wire = os.dup(1)
    with suppress(OSError):  # there is no stderr
        os.dup2(2, 1)
    try:
        yield cast("anyio.AsyncFile[str]", PipeWriter(wire))
    finally:
        os.dup2(wire, 1)
        os.close(wire)
