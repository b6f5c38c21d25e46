"""One call on an old session, over all the rounds that it takes while it is kept alive.

What the old server asks becomes an ask of the round's flow. When the round ends with it, the call goes on waiting in
the old server, and a later round takes it up again: the flow hears once more what it has heard, so that it is where a
replay would be, and the new answers go to the old server.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import anyio
from mcp.shared.exceptions import MCPError

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.gateway.early import answer_waiting
from mrtr_adapter.gateway.errors import asks_too_much
from mrtr_adapter.gateway.groups import one_error
from mrtr_adapter.gateway.link import Message
from mrtr_adapter.gateway.naming import site_of
from mrtr_adapter.gateway.reply import Reply, ServerGone
from mrtr_adapter.gateway.session import Session

logger = logging.getLogger("mrtr")

_MAX_OPEN = 100
"""Questions of one call that may be open at once."""
_MAX_UNHEARD = 256 * 1024
"""Characters of such messages, while the call is held."""
_MAX_HEARD = 1024
"""Messages of the server that wait for a round to hear them; later notifications are lost."""


class Tell(Protocol):
    """Passes a notification of the old server on to the client."""

    async def __call__(self, message: Message) -> None: ...


class Call:
    """A request that runs on a session of its own.

    Args:
        session: nobody else uses it.
        method, params: as the old server gets them.
    """

    def __init__(self, session: Session, method: str, params: Mapping[str, Any]) -> None:
        self.session = session
        self.method = method
        self.params = params
        self.answered: list[Message] = []
        """What the old server asked and was told, in this order."""
        self.open: dict[str, Message] = {}
        """What it asks and waits for, by the id of the request."""
        self.asked = False
        self.reply: Reply | None = None
        self._heard: deque[Message] = deque()
        self._in_round = True
        self._unheard = 0

    # -- what the old server says ------------------------------------------------------------------------------

    def heard(self, message: Message) -> None:
        if message["method"] == "notifications/cancelled":
            withdrawn = (message.get("params") or {}).get("requestId")
            self.open.pop(str(withdrawn), None)
            self._heard = deque(
                heard for heard in self._heard if "id" not in heard or heard["id"] != withdrawn
            )
            return
        if len(self._heard) < _MAX_HEARD and self._may_wait(message):
            self._heard.append(message)
            if self.reply is not None:
                self.reply.nudge()
        elif "id" in message:
            logger.error("the server behind asks more than can be kept, its session is ended")
            self.session.close()

    def _may_wait(self, message: Message) -> bool:
        """Between two rounds nobody takes anything away."""
        if self._in_round:
            return True
        self._unheard += len(json.dumps(message))
        return self._unheard <= _MAX_UNHEARD

    def ended(self, reason: str) -> None:
        self.open.clear()

    @property
    def waits(self) -> bool:
        """Whether the old server still waits for what it asked."""
        return self.session.alive and bool(self.open) and (self.reply is None or self.reply.outcome is None)

    @property
    def finished(self) -> bool:
        """Whether the old server has ended a call that asked, without waiting for the answer any longer."""
        outcome = self.reply.outcome if self.reply is not None else None
        return self.asked and outcome is not None and not isinstance(outcome, ServerGone)

    async def result(self) -> dict[str, Any]:
        """What a finished call has led to.

        Raises:
            MCPError: the old server's error.
        """
        assert self.reply is not None
        return await self.reply.result()

    # -- a round -----------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Send the request.

        Raises:
            MCPError: the old server is gone.
        """
        self.session.listener = self
        self.reply = await self.session.begin(self.method, self.params)

    async def hear_waiting(self, seconds: float) -> None:
        """Have the call ask what the old server has asked before it, unless it ends within so many seconds."""
        assert self.reply is not None
        with anyio.move_on_after(seconds):
            while self.reply.outcome is None:
                await self.reply.stirred()
            return
        while self.session.waiting:
            self.heard(self.session.waiting.popleft())

    async def round(self, flow: Flow, tell: Tell) -> dict[str, Any]:
        """The old server's result, once it has one; until then the flow ends the round with what it asks.

        Raises:
            MCPError: the old server's error, or it is gone.
        """
        assert self.reply is not None
        self._in_round, self._unheard = True, 0
        try:
            return await self._round(self.reply, flow, tell)
        finally:
            self._in_round = False

    async def _round(self, reply: Reply, flow: Flow, tell: Tell) -> dict[str, Any]:
        for request in self.answered:
            await flow.ask(request["method"], request.get("params"), partial(site_of, request))
        asked = list(self.open.values()) or await self._asks(tell)
        if asked:
            await self._answered(flow, tell, asked)
        return await reply.result()

    async def _answered(self, flow: Flow, tell: Tell, asked: list[Message]) -> None:
        """Ask the flow, as often as the old server asks. Many calls never come here: a task group is not for free."""
        async with one_error(), anyio.create_task_group() as group:
            while asked:
                for request in asked:
                    group.start_soon(self._ask, flow, request)
                asked = await self._asks(tell)
            group.cancel_scope.cancel()

    async def _asks(self, tell: Tell) -> list[Message]:
        """What the old server asks next; nothing once it has ended the call. What it tells meanwhile is passed on."""
        assert self.reply is not None
        while True:
            asked = []
            while self._heard:
                message = self._heard.popleft()
                if "id" in message:
                    self.asked = True
                    self.open[str(message["id"])] = message
                    asked.append(message)
                else:
                    await tell(message)
            if self.reply.outcome is not None:
                return []
            if len(self.open) > _MAX_OPEN:
                raise asks_too_much(self.method, _MAX_OPEN)
            if asked:
                return asked
            await self.reply.stirred()

    async def _ask(self, flow: Flow, request: Message) -> None:
        answer = await flow.ask(request["method"], request.get("params"), partial(site_of, request))
        self.answered.append(request)
        if self.open.pop(str(request["id"]), None) is None:
            return  # withdrawn meanwhile
        await self.session.answer(request, answer)
        await answer_waiting(self.session, request, answer)

    async def abandon(self) -> None:
        """Tell the old server that nobody waits for the result any more."""
        if self.reply is not None and self.session.alive:
            with suppress(MCPError):
                await self.session.forget(self.reply)
