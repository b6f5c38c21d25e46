"""Serves the requests of 2026-07-28 clients out of old sessions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import LOG_LEVEL_META_KEY, METHOD_NOT_FOUND, URL_ELICITATION_REQUIRED

from mrtr_adapter.engine.flows import Flow, current
from mrtr_adapter.engine.site import Site
from mrtr_adapter.gateway.call import Call
from mrtr_adapter.gateway.capset import SessionKind, declared_by
from mrtr_adapter.gateway.early import ask_early, has_begun
from mrtr_adapter.gateway.errors import cannot_wait, lost, lost_for_now, task_only, timed_out
from mrtr_adapter.gateway.holds import Holds
from mrtr_adapter.gateway.lists import listed, lists_no
from mrtr_adapter.gateway.policy import ReplayPolicy
from mrtr_adapter.gateway.pool import Pool
from mrtr_adapter.gateway.reply import Reply
from mrtr_adapter.gateway.session import Session
from mrtr_adapter.gateway.telling import Teller
from mrtr_adapter.gateway.wire import call_params, old_params, target

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]
Principal = Callable[[Context], "str | None"]

_STUCK_SECONDS = 1.0
_LOOK_UP_SECONDS = 10.0
"""How long it may take to find out what a tool is; one that can't be looked up is not run again."""
_SITE = Site("<gateway>", 0, None, in_root=False)


@dataclass
class Serving:
    """What serves modern requests of one gateway.

    Args:
        call_seconds: how long a round may take.
    """

    pool: Pool
    holds: Holds
    policy: ReplayPolicy
    principal: Principal
    call_seconds: float

    def kind(self, ctx: Context) -> SessionKind:
        return SessionKind.of(self.principal(ctx), declared_by(ctx))

    # -- requests that can't ask -------------------------------------------------------------------------------

    async def plain(self, ctx: Context, params: object) -> dict[str, Any]:
        """Lists and completion."""
        return await self.once(self.kind(ctx), ctx.method, old_params(ctx.params))

    async def once(self, kind: SessionKind, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of one request that can't ask."""
        session = await self.pool.acquire(kind)
        reply = None
        try:
            with anyio.fail_after(self.call_seconds):
                earlier = len(session.waiting)
                reply = await session.begin(method, params)
                result = await _unstuck(session, reply, earlier)
        except TimeoutError:
            self.pool.discard(session)
            raise timed_out(method, self.call_seconds) from None
        except MCPError:
            self.pool.release(session)
            raise
        except BaseException:
            self.pool.discard(session)
            raise
        self.pool.release(session)
        return result

    # -- requests that may ask ---------------------------------------------------------------------------------

    async def interactive(self, ctx: Context, params: object) -> dict[str, Any]:
        """One round of `tools/call`, `prompts/get` or `resources/read`."""
        flow = current.get()
        assert flow is not None  # the adapter's middleware stands in front
        kind = self.kind(ctx)
        call = await self._kept(flow, kind)
        continued = call is not None and call.waits
        flow.continued = True
        if call is not None and call.finished and not await self._may_replay(ctx, flow, kind):
            self._done(call)  # it went on without the answer, and how that ended is all there is to tell
            return await call.result()
        if call is None or not continued:
            call = await self._begun(ctx, flow, kind, call)
        try:
            with anyio.fail_after(self.call_seconds):
                if continued:
                    await ask_early(flow, call.session)
                result = await call.round(flow, Teller(ctx, continued=continued))
        except TimeoutError:
            await self._drop(call)
            raise timed_out(flow.name, self.call_seconds) from None
        except MCPError as error:
            self._failed(flow, kind, call, error)
            if error.code == METHOD_NOT_FOUND and await self._is_task_only(ctx, kind):
                raise task_only(flow.name) from None
            raise
        except BaseException:
            await self._stopped(ctx, flow, kind, call)
            raise
        if call.open and flow.halt.called and self.holds.park(flow.memory.nonce, kind.principal, call):
            return result  # it did not wait for an answer; this result is for the round that brings one
        self._done(call)
        return result

    async def _kept(self, flow: Flow, kind: SessionKind) -> Call | None:
        """The call that this round belongs to, if it is kept here."""
        if flow.memory.before is None:
            return None
        call = self.holds.take(flow.memory.before.nonce, kind.principal)
        if call is not None and call.waits:
            await call.session.check()
        return call

    async def _begun(self, ctx: Context, flow: Flow, kind: SessionKind, kept: Call | None) -> Call:
        """A call from the top: the first one of its flow, or one that is run again."""
        before = flow.memory.before
        again = before is not None and has_begun(before) and not before.raised
        if kept is not None and (again or not kept.session.alive):
            self.pool.discard(kept.session)
            kept = None
        flow.continued = not again
        if again and not await self._may_run_again(ctx, flow, kind):
            logger.warning("flow %s: %s is lost, and may not be run again", flow.id, flow.name)
            await flow.refuse(lost(flow.name, flow.target), _SITE)
        if again:
            logger.info("flow %s: %s is run again on a fresh session", flow.id, flow.name)
        session = kept.session if kept else await self.pool.acquire(kind, fresh=again)
        await self._ask_early(ctx, flow, session)
        call = Call(session, ctx.method, call_params(ctx.params))
        try:
            with anyio.fail_after(self.call_seconds):
                await _set_log_level(session, ctx)
                await call.begin()
                if session.waiting:
                    await call.hear_waiting(_STUCK_SECONDS)
        except TimeoutError:
            self.pool.discard(session)
            raise timed_out(flow.name, self.call_seconds) from None
        except BaseException:
            self.pool.discard(session)
            raise
        return call

    async def _ask_early(self, ctx: Context, flow: Flow, session: Session) -> None:
        """Ask what the old server wants to know before the call, unless the call is of nothing that there is."""
        try:
            begins = flow.memory.before is None
            if begins and session.waiting and await lists_no(session, ctx.method, flow.target):
                return
            await ask_early(flow, session)
        except BaseException:
            self.pool.release(session)  # nothing was begun on it
            raise

    async def _stopped(self, ctx: Context, flow: Flow, kind: SessionKind, call: Call) -> None:
        """The round has ended with a question, or its request was cancelled."""
        asks = flow.halt.called and not flow.refused
        if asks and self.holds.park(flow.memory.nonce, kind.principal, call):
            return
        with anyio.CancelScope(shield=True):
            await self._drop(call)
            if not asks:
                return
            with anyio.move_on_after(_LOOK_UP_SECONDS):
                if await self._may_replay(ctx, flow, kind):
                    return
        await flow.refuse(cannot_wait(flow.name, flow.target), _SITE)

    def _failed(self, flow: Flow, kind: SessionKind, call: Call, error: MCPError) -> None:
        """The old server has answered with an error."""
        if error.code == URL_ELICITATION_REQUIRED and self.holds.park(
            flow.memory.nonce, kind.principal, call
        ):
            return  # it may remember, on this session, which pages it has sent the user to
        self._done(call)

    def _done(self, call: Call) -> None:
        if call.open:
            self.pool.discard(call.session)  # it ended before it got the answer to something
        else:
            self.pool.release(call.session)

    async def _drop(self, call: Call) -> None:
        with anyio.move_on_after(1):
            await call.abandon()
        self.pool.discard(call.session)

    async def _is_task_only(self, ctx: Context, kind: SessionKind) -> bool:
        tool = (
            await self.tool(kind, target(ctx.method, ctx.params or {}))
            if ctx.method == "tools/call"
            else None
        )
        return ((tool or {}).get("execution") or {}).get("taskSupport") == "required"

    # -- what tools are ----------------------------------------------------------------------------------------

    async def _may_replay(self, ctx: Context, flow: Flow, kind: SessionKind) -> bool:
        async def find(name: str) -> dict[str, Any] | None:
            return await self.tool(kind, name)

        return await self.policy.allows(ctx.method, target(ctx.method, ctx.params or {}), find)

    async def _may_run_again(self, ctx: Context, flow: Flow, kind: SessionKind) -> bool:
        """As `_may_replay`, for a call that is gone.

        Raises:
            MCPError: that can't be told, since the old server does not answer.
        """
        try:
            return await self._may_replay(ctx, flow, kind)
        except MCPError as error:
            raise lost_for_now(flow.name, error) from None

    async def tool(self, kind: SessionKind, name: str) -> dict[str, Any] | None:
        """A tool as the old server lists it for such clients."""
        async for tool in listed(partial(self.once, kind), "tools"):
            if tool.get("name") == name:
                return dict(tool)
        return None


def dropping(pool: Pool) -> Callable[[Call], None]:
    """What becomes of a held call that nobody came back for."""

    def drop(call: Call) -> None:
        logger.info(
            "nobody came back for a call of %s, it is dropped", call.params.get("name") or call.method
        )
        pool.discard(call.session)

    return drop


async def _unstuck(session: Session, reply: Reply, earlier: int) -> dict[str, Any]:
    """The result of a request that can't ask the client. If the server seems to wait for something that it has asked
    meanwhile, after `earlier` questions, that is refused.
    """
    while True:
        with anyio.move_on_after(_STUCK_SECONDS):
            return await reply.result()
        if len(session.waiting) > earlier:
            await session.refuse_waiting("The client can't be asked while it wants a list")


async def _set_log_level(session: Session, ctx: Context) -> None:
    """Have the old server log what this request wants to see. Without a wish none of it goes out."""
    wanted = (ctx.meta or {}).get(LOG_LEVEL_META_KEY)
    if (
        not isinstance(wanted, str)
        or session.log_level == wanted
        or "logging" not in session.hello.get("capabilities", {})
    ):
        return
    await session.request("logging/setLevel", {"level": wanted})
    session.log_level = wanted
