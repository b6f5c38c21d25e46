"""A call on a 2025-11-25 session: the server pushes its questions, and waits for each answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.transport_context import TransportContext
from mcp_types import INVALID_REQUEST, METHOD_NOT_FOUND, URL_ELICITATION_REQUIRED
from mcp_types.version import LATEST_HANDSHAKE_VERSION

from mrtr_adapter.engine import capabilities
from mrtr_adapter.engine.halt import SETTLE_SECONDS
from mrtr_adapter.engine.question import ASKS, ELICIT, Question
from mrtr_adapter.verify.child.observer import Observer
from mrtr_adapter.verify.wire import Ask, Done, Reply, Work

Consult = Callable[[Ask], Reply]
"""Asks whoever answers. Blocks: it may be a person."""


async def call(low: Server[Any], work: Work, observer: Observer, consult: Consult) -> Done:
    """Open a session, call, answer what is asked; a -32042 error is obeyed, as clients of that time do."""
    done = Done()
    client = _Client(work.capabilities, consult)
    async with create_client_server_memory_streams() as (near, far), anyio.create_task_group() as group:

        async def unanswered() -> None:
            await client.unanswered.wait()
            done.seen = observer.close()
            group.cancel_scope.cancel()

        group.start_soon(unanswered)
        group.start_soon(low.run, *far, low.create_initialization_options())
        session: JSONRPCDispatcher[Any] = JSONRPCDispatcher(*near)
        await group.start(session.run, client.answer, _ignore)
        await _shake_hands(session, work.capabilities)
        try:
            done.result = await _obeying(session, work, client)
        except MCPError as error:
            done.error = error.error.model_dump(mode="json", exclude_none=True)
        done.seen = observer.close()
        group.cancel_scope.cancel()
    return done


async def _shake_hands(session: JSONRPCDispatcher[Any], declared: Mapping[str, Any]) -> None:
    hello = {
        "protocolVersion": LATEST_HANDSHAKE_VERSION,
        "capabilities": dict(declared),
        "clientInfo": {"name": "mrtr-verify", "version": "1"},
    }
    await session.send_raw_request("initialize", hello)
    await session.notify("notifications/initialized", None)


async def _obeying(session: JSONRPCDispatcher[Any], work: Work, client: _Client) -> dict[str, Any]:
    while True:
        outcome = await _attempt(session, work)
        if not isinstance(outcome, MCPError):
            return outcome
        for page in outcome.data["elicitations"]:
            answer = await client.consulted(Question.of(ELICIT, {**page, "mode": "url"}))
            if answer.get("action") != "accept":
                raise outcome


async def _attempt(session: JSONRPCDispatcher[Any], work: Work) -> dict[str, Any] | MCPError:
    """The result, or the error that names pages to open before the call is made again."""
    try:
        return await session.send_raw_request(work.method, work.params)
    except MCPError as error:
        pages = error.data.get("elicitations") if isinstance(error.data, dict) else None
        if error.code == URL_ELICITATION_REQUIRED and pages:
            return error
        raise


class _Client:
    """Answers the requests of the server."""

    def __init__(self, declared: Mapping[str, Any], consult: Consult) -> None:
        self.unanswered = anyio.Event()
        self._declared = declared
        self._consult = consult
        self._open = 0
        self._arrived = 0
        self._group = 0
        self._one_by_one = anyio.Lock()

    async def answer(
        self, context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        if method == "ping":
            return {}
        if method not in ASKS:
            raise MCPError(METHOD_NOT_FOUND, f"{method} is not known here")
        question = Question.of(method, params or {})
        if lack := capabilities.missing(question, self._declared):
            raise _unsupported(lack[0])
        self._group += self._open == 0
        self._open += 1
        self._arrived += 1
        try:
            await self._all_there()
            return await self.consulted(question)
        finally:
            self._open -= 1

    async def _all_there(self) -> None:
        """Questions that are open at the same time count as one group, whose order says nothing."""
        seen = 0
        while seen != self._arrived:
            seen = self._arrived
            await anyio.sleep(SETTLE_SECONDS)

    async def consulted(self, question: Question) -> dict[str, Any]:
        async with self._one_by_one:
            ask = Ask(
                method=question.method,
                params=question.params,
                group=self._group,
                waiting=max(self._open, 1),
            )
            reply = await anyio.to_thread.run_sync(self._consult, ask, abandon_on_cancel=True)
        if reply.missing:
            raise _unsupported(question.kind)
        if reply.answer is None:
            self.unanswered.set()
            await anyio.sleep_forever()
        assert reply.answer is not None
        return reply.answer


def _unsupported(what: str) -> MCPError:
    return MCPError(INVALID_REQUEST, f"{what.capitalize()} not supported")


async def _ignore(
    context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
) -> None:
    """Progress and log messages are not compared."""
