"""Passes on what an old server tells during a call: progress, and log messages at the level that the request wants."""

from __future__ import annotations

import inspect
import logging
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from pydantic import ValidationError

from mrtr_adapter.gateway.link import Message

logger = logging.getLogger("mrtr")

_log = inspect.unwrap(ServerSession.send_log_message)
"""Without the SDK's deprecation warning, which is for authors of servers."""


class Teller:
    """Args:
    ctx: the request that the call belongs to.
    continued: whether the call went on from an earlier round. It then repeats nothing, so nothing is left out.
    """

    def __init__(self, ctx: ServerRequestContext[Any, Any], *, continued: bool) -> None:
        self._ctx = ctx
        self._report = ServerSession.report_progress if continued else type(ctx.session).report_progress

    async def __call__(self, message: Message) -> None:
        try:
            await self._tell(message)
        except ValidationError:
            logger.warning("a %s of the server behind can't be passed on: it is malformed", message["method"])

    async def _tell(self, message: Message) -> None:
        params = message.get("params") or {}
        session = self._ctx.session
        if message["method"] == "notifications/progress":
            await self._report(session, params.get("progress", 0), params.get("total"), params.get("message"))
        elif message["method"] == "notifications/message":
            await _log(session, params.get("level", "info"), params.get("data"), logger=params.get("logger"))
