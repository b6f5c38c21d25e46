"""Servers behind a FastMCP proxy (`create_proxy`, `ProxyProvider`, an `MCPConfig`) of an adapted server.

FastMCP has a proxy speak on its back what is spoken on its front, which on 2026-07-28 shuts out every old server
behind it. Here such a proxy negotiates: a server that speaks 2026-07-28 ends its rounds itself and they are passed on;
an older one pushes its requests, and the proxy's own handlers hand them to the session in front, where they are asks.
A server in the same process is adapted as the one in front is, so that it does not matter how its handlers ask.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from typing import Any

from fastmcp.client.transports.memory import FastMCPTransport
from fastmcp.server.providers import proxy
from mcp import ClientSession
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

AdaptLike = Callable[[Any, Server[Any]], object]
"""Adapts a server on the terms of another one, unless it is adapted already."""

Connect = Callable[..., AbstractAsyncContextManager[ClientSession]]

_FORWARDING = proxy.PROXY_TRANSPORT_OPTIONS.session_class
"""The session of whatever is connected for a proxy."""

_front: ContextVar[Server[Any] | None] = ContextVar("mrtr_fastmcp_front", default=None)
"""The adapted server whose request is being served."""

_installed = False


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
    global _installed
    if _installed:
        return
    _installed = True
    proxy._mirror_front_era_mode = _negotiated(proxy._mirror_front_era_mode)
    original = FastMCPTransport.connect_session
    setattr(FastMCPTransport, original.__name__, _adapting(original, adapt_like))


def _negotiated(mirror: Callable[[], str | None]) -> Callable[[], str | None]:
    """What to speak on the back: `auto` instead of 2026-07-28 alone."""

    def _mirror_front_era_mode() -> str | None:
        mode = mirror()
        return "auto" if mode in MODERN_PROTOCOL_VERSIONS and _front.get() is not None else mode

    return _mirror_front_era_mode


def _adapting(connect: Connect, adapt_like: AdaptLike) -> Connect:
    """Connect a proxy to a server in this process, which is adapted first."""

    def connect_session(self: FastMCPTransport, **options: Any) -> AbstractAsyncContextManager[ClientSession]:
        server, given = _front.get(), options.get("transport_options")
        # Other clients that a handler opens have handlers of their own to answer for them.
        if server is not None and given is not None and given.session_class is _FORWARDING:
            adapt_like(self.server, server)
        return connect(self, **options)

    return connect_session
