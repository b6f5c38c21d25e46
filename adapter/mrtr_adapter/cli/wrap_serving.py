"""How `mrtr wrap` serves: over stdio, or over HTTP."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import anyio

from mrtr_adapter.gateway.gateway import running
from mrtr_adapter.gateway.http import Places
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.serving.address import Address
from mrtr_adapter.serving.http import serve_http
from mrtr_adapter.serving.stdio import person_at_stdin, serve_stdio

logger = logging.getLogger("mrtr")


def over_stdio(settings: Settings) -> None:
    """Serve one old server until the client closes stdin.

    Raises:
        CannotServe: it can't be started.
    """
    if person_at_stdin():
        logger.info(
            "mrtr wrap: speaks MCP on stdin and stdout, for a client that starts it; "
            "for HTTP give --http 127.0.0.1:8000"
        )
    anyio.run(_over_stdio, settings)


def over_http(servers: Mapping[str, Settings], address: Address, grace: int) -> None:
    """Serve each of these at its path until SIGTERM; then calls that run have `grace` seconds to end.

    Raises:
        CannotServe: this can't be listened on, or one of them can't be started.
    """
    address, sockets = address.listen()
    host = address.url.removesuffix("/mcp")
    at = ", ".join(host + path for path in servers)
    places = Places(servers, address.host)
    serve_http(places.app, sockets, lambda: logger.info("mrtr wrap: serving %s", at), grace, places.leave)


async def _over_stdio(settings: Settings) -> None:
    async with running(settings) as gateway:
        await serve_stdio(gateway.front)
