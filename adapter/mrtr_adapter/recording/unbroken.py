"""Running something to its end although the caller is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import sniffio
from anyio import CancelScope

ResultT = TypeVar("ResultT")


async def unbroken(call: Callable[[], Coroutine[Any, Any, ResultT]]) -> ResultT:
    """What `call` returns or raises, once it has. The caller's cancellation is delivered only after that.

    On asyncio it runs in a task of its own, since `gather` and `wait_for` cancel tasks past any scope.
    """
    if sniffio.current_async_library() != "asyncio":
        with CancelScope(shield=True):
            return await call()
    task = asyncio.create_task(call())
    cancelled: asyncio.CancelledError | None = None
    with CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError as error:  # noqa: PERF203  # that is what the loop is for
                cancelled = error
    if cancelled is not None and not task.cancelled():
        task.exception()  # or asyncio reports it as never retrieved
        raise cancelled
    return task.result()
