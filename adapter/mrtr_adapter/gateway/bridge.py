"""Clients on older protocols: each connection gets an old session of its own, and both talk as they always did."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

import anyio
from anyio.abc import TaskGroup
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST

from mrtr_adapter.gateway.capset import SessionKind
from mrtr_adapter.gateway.link import Message
from mrtr_adapter.gateway.patience import Patience
from mrtr_adapter.gateway.pool import Pool
from mrtr_adapter.gateway.session import Session
from mrtr_adapter.gateway.wire import PROGRESS_TOKEN, bridged_params

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]
_MAX_PASSING = 1024
"""Messages of a server that its client has not heard yet; later notifications are lost."""
_FORGET_SECONDS = 1.0
"""How long an old server may take to read that a request is cancelled."""
_PASSED = frozenset(
    {
        "notifications/message",
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
        "notifications/elicitation/complete",
    }
)


class Bridge:
    """The connections of a gateway with older clients.

    Args:
        group: outlives all of them.
        call_seconds: how long a request may take, without the time that the client is asked something.
    """

    def __init__(self, pool: Pool, group: TaskGroup, call_seconds: float) -> None:
        self._pool = pool
        self._group = group
        self._call_seconds = call_seconds
        self._pairs: WeakKeyDictionary[Connection, _Pair] = WeakKeyDictionary()
        self._pairing: WeakKeyDictionary[Connection, anyio.Lock] = WeakKeyDictionary()

    async def request(self, ctx: Context, kind: SessionKind) -> dict[str, Any]:
        """The old server's answer to this client's request."""
        return await (await self._pair(ctx, kind)).request(ctx)

    async def notify(self, ctx: Context, kind: SessionKind) -> None:
        """Pass a notification of the client on, if anything has been asked of the old server yet."""
        pair = self._pairs.get(ctx.session._connection)
        if pair is not None and pair.session.kind.principal == kind.principal:
            await pair.session.notify(ctx.method, ctx.params)

    async def _pair(self, ctx: Context, kind: SessionKind) -> _Pair:
        connection = ctx.session._connection
        async with self._pairing.setdefault(connection, anyio.Lock()):
            pair = self._pairs.get(connection)
            if pair is not None and pair.session.kind.principal != kind.principal:
                raise MCPError(
                    INVALID_REQUEST, "This session belongs to another user: initialize one of your own"
                )
            if pair is None or not pair.session.alive:
                session = await self._pool.acquire(kind, fresh=True, spare=False)
                pair = self._pairs[connection] = _Pair(session, connection, self._group, self._call_seconds)
                connection.exit_stack.callback(self._pool.discard, session)
                await pair.catch_up()
            return pair


class _Pair:
    """A connection with a client, and the old session that belongs to it."""

    def __init__(
        self, session: Session, connection: Connection, group: TaskGroup, call_seconds: float
    ) -> None:
        self.session = session
        self._connection = connection
        self._group = group
        self._patience = Patience(call_seconds)
        self._running: dict[object, Context] = {}
        self._passing = 0
        session.listener = self

    async def request(self, ctx: Context) -> dict[str, Any]:
        reply = await self.session.begin(ctx.method, bridged_params(ctx.params))
        self._running[reply] = ctx
        try:
            with self._patience.limited(ctx.method):
                return await reply.result()
        except BaseException:
            with anyio.move_on_after(_FORGET_SECONDS, shield=True), suppress(MCPError):
                await self.session.forget(reply)
            raise
        finally:
            del self._running[reply]

    async def catch_up(self) -> None:
        """Ask the client what the old server has asked before there was one."""
        while self.session.waiting:
            self.heard(self.session.waiting.popleft())

    def heard(self, message: Message) -> None:
        if self._passing < _MAX_PASSING:
            self._passing += 1
            self._group.start_soon(self._pass, message)
        elif "id" in message:
            logger.error("the server behind asks faster than its client hears, its session is ended")
            self.session.close()

    def ended(self, reason: str) -> None:
        logger.info("the old session of a client on an older protocol has ended: %s", reason)

    async def _pass(self, message: Message) -> None:
        try:
            await (self._ask(message) if "id" in message else self._tell(message))
        except MCPError as error:
            logger.warning("%s could not be passed on: %s", message["method"], error)
        except Exception:
            logger.exception("%s could not be passed on", message["method"])
        finally:
            self._passing -= 1

    async def _ask(self, message: Message) -> None:
        # On HTTP a request goes along the stream of the call that it belongs to, which is known if there is one only.
        running = list(self._running.values())
        outbound = running[-1].session._request_outbound if running else self._connection.outbound
        try:
            with self._patience.paused():
                answer = await outbound.send_raw_request(message["method"], message.get("params"))
        except MCPError as error:
            await self.session.refuse(message, error.code or INTERNAL_ERROR, error.message)
        else:
            await self.session.answer(message, answer)

    async def _tell(self, message: Message) -> None:
        params = message.get("params") or {}
        if message["method"] == "notifications/progress":
            for ctx in list(self._running.values()):
                if (ctx.params or {}).get("_meta", {}).get(PROGRESS_TOKEN) == params.get(PROGRESS_TOKEN):
                    await ctx.session.report_progress(
                        params.get("progress", 0), params.get("total"), params.get("message")
                    )
        elif message["method"] in _PASSED:
            await self._connection.outbound.notify(message["method"], message.get("params"))
