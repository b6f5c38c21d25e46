"""How a running handler is brought to a halt once it has asked.

By cancelling its scope, not by raising: `except Exception` must not see it. Cancellation does not reach everywhere
(worker threads, shielded scopes, handlers that swallow it), so whoever comes back to the flow after that is stopped
again, by `Suspension`.
"""

from __future__ import annotations

import asyncio
import logging
from contextvars import ContextVar
from typing import Any, NoReturn

import anyio
import anyio.lowlevel
import sniffio
from anyio import CancelScope

from mrtr_adapter.engine.suspension import Suspension, cannot_ask
from mrtr_adapter.engine.tasks import Kin, kin

logger = logging.getLogger("mrtr")

SETTLE_SECONDS = 0.025
"""How long other tasks of a handler get to reach their asks, after the last one that did."""

_SETTLE_TURNS = 8
_CANCEL_PASSES = 10
_PATIENCE = 100
_SLOW_SECONDS = 1.0

stopped: ContextVar[Halt | None] = ContextVar("mrtr_stopped", default=None)
"""What has stopped the task that runs here. It may outlive the handler, and still must not act on what it asked."""


class Halt:
    """Stops one run of a handler, with all of its tasks."""

    __slots__ = ("_asks", "_decided", "_returns", "_root", "_scope", "called", "over")

    def __init__(self) -> None:
        self.called = False
        """The round has stopped; nothing that the handler still does counts."""
        self.over = False
        """The handler has returned or raised."""
        self._asks = 0
        self._returns = 0
        self._root: object = None
        self._scope: CancelScope | None = None
        self._decided: anyio.Event | None = None

    def watch(self, root: object, scope: CancelScope) -> None:
        """The task and the scope that the handler runs in."""
        self._root = root
        self._scope = scope

    def ask(self) -> None:
        """A question is open: the round is going to stop, once the handler's other tasks had their turn."""
        self._asks += 1

    def call(self) -> None:
        """The round stops now."""
        self.called = True

    def end(self) -> None:
        """The handler has left its scope. What it left open stops the round, whatever its tasks still do."""
        self.over = True
        self._decide()

    def is_shared(self, *, started: bool) -> bool:
        """Whether the current task is the server's own, at work for this call among others."""
        return kin(id(self._root), started=started) is Kin.SHARED

    async def stop(self, *, in_root: bool, started: bool) -> NoReturn:
        """Let the handler's other tasks reach their asks, then stop all of it. Never returns.

        `in_root` tells that the caller is the handler's own task, so that there may well be no other; `started`, that
        it runs in the handler's context.
        """
        stopped.set(self)
        if self._decided is None:
            self._decided = anyio.Event()
            try:
                await self._settle(in_root)
            finally:
                self._decide()
        else:
            await self._decided.wait()
        await self.again(started=started)

    async def again(self, *, started: bool) -> NoReturn:
        """Stop a caller after the round has stopped. Never returns.

        Raises:
            MCPError: in a task that other calls share, which has to live on.
        """
        self._returns += 1
        if self._returns > _PATIENCE:
            await self._slow_down()
        if not self.over:
            for _ in range(_CANCEL_PASSES):
                await anyio.lowlevel.checkpoint()
        await self._raise(kin(id(self._root), started=started))

    async def _raise(self, what: Kin) -> NoReturn:
        """Stop a task that the cancellation of the handler's scope has not reached, by what it can bear."""
        if what is Kin.SHARED:
            raise cannot_ask("the call that this was asked for has ended with its question")
        stopped.set(self)
        if what is Kin.GUEST:
            logger.warning(
                "a handler asks from a task that it started in a task group of the server's; it stays there, asleep, "
                "until the server ends. Let the handler itself ask, or a task group of its own"
            )
            await anyio.sleep_forever()
        if what is Kin.GROUPED:
            raise asyncio.CancelledError
        if sniffio.current_async_library() == "asyncio":
            task = asyncio.current_task()
            if task is not None:
                task.add_done_callback(_retrieve)
        raise Suspension

    async def _slow_down(self) -> None:
        """A handler that catches its cancellation in an endless loop can't be ended, but it may not eat the server."""
        if self._returns == _PATIENCE + 1:
            logger.error(
                "a handler has come back %d times after it was stopped: it catches BaseException in a loop around its "
                "question, so that its request can't end. Let it catch Exception instead",
                _PATIENCE,
            )
        with CancelScope(shield=True):
            await anyio.sleep(_SLOW_SECONDS)

    async def _settle(self, in_root: bool) -> None:
        if self.called:
            return
        if in_root:
            # Tasks that were started but have not run yet get their turn.
            for _ in range(2):
                await anyio.lowlevel.checkpoint()
            return
        for _ in range(_SETTLE_TURNS):
            seen = self._asks
            await anyio.sleep(SETTLE_SECONDS)
            if self._asks == seen or self.over:
                return

    def _decide(self) -> None:
        self.called = self.called or self._asks > 0
        if self.called and not self.over and self._scope is not None:
            self._scope.cancel()
        if self._decided is not None:
            self._decided.set()


def _retrieve(task: asyncio.Task[Any]) -> None:
    """A task that nobody awaits is not to be reported as failed."""
    if not task.cancelled():
        task.exception()
