"""Servers behind a FastMCP proxy (`create_proxy`, `ProxyProvider`, an `MCPConfig`) of an adapted server.

FastMCP has a proxy speak on its back what is spoken on its front, which on 2026-07-28 shuts out every old server
behind it. Here such a proxy negotiates: a server that speaks 2026-07-28 ends its rounds itself and they are passed on;
an older one pushes its requests, and the proxy's own handlers hand them to the session in front, where they are asks.
A server in the same process is adapted as the one in front is, so that it does not matter how its handlers ask.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from fastmcp.client.transports.memory import FastMCPTransport
from fastmcp.server.providers.proxy import ProxyClient
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

AdaptLike = Callable[[Any, Server[Any]], object]
"""Adapts a server on the terms of another one, unless it is adapted already."""

_front: ContextVar[Server[Any] | None] = ContextVar("mrtr_fastmcp_front", default=None)
"""The adapted server whose request is being served."""


class Front:
    """Middleware that marks what is done for a request as done for this server."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        token = _front.set(self._server)
        try:
            return await call_next(ctx)
        finally:
            _front.reset(token)


def install(adapt_like: AdaptLike) -> None:
    """Does nothing the second time."""
    if "_negotiate" in vars(ProxyClient):
        return
    negotiate = ProxyClient._negotiate

    async def _negotiate(self: ProxyClient[Any], *args: Any, **kwargs: Any) -> None:
        server = _front.get()
        if server is not None and self.mode in MODERN_PROTOCOL_VERSIONS:
            if isinstance(self.transport, FastMCPTransport):
                adapt_like(self.transport.server, server)
            self.mode = "auto"
        await negotiate(self, *args, **kwargs)

    setattr(ProxyClient, negotiate.__name__, _negotiate)
