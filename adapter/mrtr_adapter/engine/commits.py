"""What a handler wants done once its call has completed."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

import sniffio

from mrtr_adapter.engine.journal import new_id
from mrtr_adapter.engine.unsaid import unsaid

logger = logging.getLogger("mrtr")

Work = Callable[[], Any]


class Commits:
    """The functions that one call has registered, in order."""

    __slots__ = ("_id", "_work", "completed")

    def __init__(self) -> None:
        self.completed = False
        """The call has ended well, and all that was registered is done."""
        self._work: list[Work] = []
        self._id: str | None = None

    @property
    def call_id(self) -> str:
        """A name for the call, where it has no flow."""
        if self._id is None:
            self._id = new_id()
        return self._id

    def add(self, work: Work) -> None:
        self._work.append(work)

    async def complete(self, result: object) -> None:
        """The call has ended with this result: call them all, unless it is an error.

        One that fails is logged, and changes nothing: the call has completed.
        """
        if _is_error(result):
            return
        while self._work:
            work = self._work.pop(0)
            try:
                result = work()
                if inspect.isawaitable(result):
                    await result
            except Exception as error:
                logger.error(
                    "on_commit: %s failed after its call had completed: %s", name_of(work), unsaid(error)
                )
        self.completed = True


pending: ContextVar[Commits | None] = ContextVar("mrtr_commits", default=None)
"""Of the call that is served here, on an older protocol."""


def _is_error(result: object) -> bool:
    if isinstance(result, Mapping):
        return bool(result.get("isError"))
    return bool(getattr(result, "is_error", False))


def name_of(work: Work) -> str:
    called = getattr(work, "func", work)
    return getattr(called, "__qualname__", repr(called))


def run_now(work: Work) -> None:
    """Outside any call: there is nothing to wait for. An async function runs as a task of its own."""
    result = work()
    if not inspect.isawaitable(result):
        return
    library = sniffio.current_async_library()
    if library == "asyncio":
        import asyncio

        task = asyncio.ensure_future(_logged(work, result))
        _running.add(task)
        task.add_done_callback(_running.discard)
    else:
        import trio

        trio.lowlevel.spawn_system_task(_logged, work, result)


_running: set[Any] = set()
"""Tasks would vanish unless somebody holds them."""


async def _logged(work: Work, result: Awaitable[Any]) -> None:
    try:
        await result
    except Exception as error:
        logger.error("on_commit: %s failed: %s", name_of(work), unsaid(error))
