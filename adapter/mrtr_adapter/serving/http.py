"""Serving over HTTP: 2026-07-28 requests and legacy sessions at one endpoint, `/mcp`."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp

from mrtr_adapter.serving.refusal import CannotServe
from mrtr_adapter.serving.startup import Startup

if TYPE_CHECKING:
    from mrtr_adapter.serving.servers import AnyServer

GRACE_SECONDS = 5
"""How long a request that runs when the end is asked for may take to finish."""
STARTUP_FAILURE = 3
"""The exit status of uvicorn when the application did not start."""
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def application(server: AnyServer, host: str) -> ASGIApp:
    """The framework's own application for a server, with its protection against DNS rebinding for `host`."""
    if isinstance(server, MCPServer | Server):
        return server.streamable_http_app(host=host)
    allowed = [host] if host in _LOOPBACK else None
    return cast(ASGIApp, server.http_app(path="/mcp", allowed_hosts=allowed))


def settings(app: Any, **more: Any) -> uvicorn.Config:
    """How uvicorn runs an application (or makes it): logs are the caller's, and the end is graceful."""
    for sieve in (_without_cancellations, _without_beginning):
        logging.getLogger("uvicorn.error").addFilter(sieve)
    return uvicorn.Config(
        app, log_config=None, lifespan="on", timeout_graceful_shutdown=GRACE_SECONDS, **more
    )


def serve_http(
    app: ASGIApp,
    sockets: list[socket.socket],
    ready: Callable[[], None],
    grace: int = GRACE_SECONDS,
    leave: Callable[[], None] = lambda: None,
) -> None:
    """Serve in this process until SIGTERM or SIGINT.

    Args:
        ready: is called when the application has started.
        grace: how many seconds a request that runs then may take to finish.
        leave: is called when the signal comes, in the event loop.

    Raises:
        CannotServe: the server's lifespan did not start.
    """
    failures: list[str] = []
    # uvicorn raises the signal that ended it once more, when it is done: that is a success.
    signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with suppress(KeyboardInterrupt):
            config = settings(Startup(app, ready, failures.append))
            config.timeout_graceful_shutdown = grace
            _Server(config, leave).run(sockets)
    except SystemExit as error:
        if error.code != STARTUP_FAILURE:
            raise
        raise CannotServe(*failures) from None


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, leave: Callable[[], None]) -> None:
        super().__init__(config)
        self._leave = leave

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._leave()
        await super().shutdown(sockets)


_BEGINNING = ("Started server process", "Waiting for application startup", "Application startup failed")


def _without_beginning(record: logging.LogRecord) -> bool:
    """Whoever serves says that it does, or why it can't."""
    return not str(record.msg).startswith(_BEGINNING)


def _without_cancellations(record: logging.LogRecord) -> bool:
    """A request that outlasts the grace is cut off by us: its line is enough, a traceback would read as a bug."""
    if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
        record.exc_info = None
        record.msg, record.args = "A request that was still running was cut off", ()
    return True
