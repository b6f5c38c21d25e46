"""Serving over HTTP: 2026-07-28 requests and legacy sessions at one endpoint, `/mcp`."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import STARTUP_FAILURE

from mrtr_adapter.serving.refusal import CannotServe

if TYPE_CHECKING:
    from mrtr_adapter.serving.servers import AnyServer

GRACE_SECONDS = 5
"""How long a request that runs when the end is asked for may take to finish."""
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def application(server: AnyServer, host: str) -> ASGIApp:
    """The framework's own application for a server, with its protection against DNS rebinding for `host`."""
    if isinstance(server, MCPServer | Server):
        return _Lifespan(server.streamable_http_app(host=host))
    allowed = [host] if host in _LOOPBACK else None
    return _Lifespan(cast(ASGIApp, server.http_app(path="/mcp", allowed_hosts=allowed)))


def settings(app: Any, **more: Any) -> uvicorn.Config:
    """How uvicorn runs an application (or makes it): logs are the caller's, and the end is graceful."""
    return uvicorn.Config(
        app, log_config=None, lifespan="on", timeout_graceful_shutdown=GRACE_SECONDS, **more
    )


def serve_http(app: ASGIApp, sockets: list[socket.socket]) -> None:
    """Serve in this process until SIGTERM or SIGINT.

    Raises:
        CannotServe: the server's lifespan did not start; the log says why.
    """
    end_quietly()
    try:
        with suppress(KeyboardInterrupt):
            uvicorn.Server(settings(app)).run(sockets)
    except SystemExit as error:
        if error.code != STARTUP_FAILURE:
            raise
        raise CannotServe(
            "the server's own startup (lifespan) failed, as logged above: mend it there"
        ) from None


def end_quietly() -> None:
    """Let uvicorn, which raises the signal again once it is done, end with success."""
    signal.signal(signal.SIGTERM, lambda *_: None)


class _Lifespan:
    """Tells a failed startup in one line, where starlette hands on a traceback."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return

        async def told(message: Message) -> None:
            if message["type"] == "lifespan.startup.failed":
                lines = message.get("message", "").strip().splitlines() or ["no reason given"]
                message = {**message, "message": f"startup failed: {lines[-1]}"}
            await send(message)

        await self.app(scope, receive, told)
