"""`subscriptions/listen`: what old servers notify of by themselves, for clients of 2026-07-28 that want to hear it.

Each stream has an old session of its own while it is open, on which its resources are subscribed to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ServerEvent, event_from_wire
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from mrtr_adapter.gateway.capset import SessionKind
from mrtr_adapter.gateway.link import Message
from mrtr_adapter.gateway.pool import Pool
from mrtr_adapter.gateway.session import Session

logger = logging.getLogger("mrtr")

_SUBSCRIBE_SECONDS = 30.0


class Bus:
    """What the sessions of one principal notify of, for the streams of this principal."""

    def __init__(self) -> None:
        self._listeners: dict[object, Callable[[ServerEvent], None]] = {}

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    async def publish(self, event: ServerEvent) -> None:
        self.deliver(event)

    def deliver(self, event: ServerEvent) -> None:
        for listener in list(self._listeners.values()):
            listener(event)

    # As a listener of sessions:

    def heard(self, message: Message) -> None:
        event = event_from_wire(message["method"], message.get("params"))
        if event is not None:
            self.deliver(event)

    def ended(self, reason: str) -> None:
        pass


class Listening:
    """Serves the streams of a gateway."""

    def __init__(self) -> None:
        # Both are gone with the last session and the last stream of a principal, who hold them.
        self._buses: WeakValueDictionary[str | None, Bus] = WeakValueDictionary()
        self._handlers: WeakValueDictionary[str | None, ListenHandler] = WeakValueDictionary()

    def bus(self, kind: SessionKind) -> Bus:
        """What hears the sessions of this principal."""
        return self._buses.setdefault(kind.principal, Bus())

    @property
    def principals(self) -> int:
        """How many are listened for."""
        return len(self._buses)

    async def listen(
        self,
        pool: Pool,
        kind: SessionKind,
        ctx: ServerRequestContext[Any, Any],
        params: SubscriptionsListenRequestParams,
    ) -> SubscriptionsListenResult:
        """Serve one stream, until the client leaves or the gateway ends."""
        handler = self._handlers.setdefault(kind.principal, ListenHandler(self.bus(kind)))
        session = await pool.acquire(kind)
        try:
            await _subscribe(session, params.notifications.resource_subscriptions or [])
            return await handler(ctx, params)
        finally:
            pool.discard(session)

    def close(self) -> None:
        """End all streams."""
        for handler in list(self._handlers.values()):
            handler.close()


async def _subscribe(session: Session, uris: list[str]) -> None:
    for uri in uris:
        await _subscribe_to(session, str(uri))


async def _subscribe_to(session: Session, uri: str) -> None:
    try:
        with anyio.fail_after(_SUBSCRIBE_SECONDS):
            await session.request("resources/subscribe", {"uri": uri})
    except (MCPError, TimeoutError) as error:
        logger.warning("the server behind does not notify of %s: %s", uri, error)
