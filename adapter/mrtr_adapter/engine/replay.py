"""The engine: runs a handler under a flow, from the top in every round, and stops it where it has to wait.

It knows nothing of transports, seals or frameworks. In process, FastMCP and the gateway all sit on it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from types import CodeType
from typing import TypeVar

import anyio.lowlevel
from anyio import CancelScope

from mrtr_adapter.engine.flows import Flow, Round, current

ResultT = TypeVar("ResultT")


async def run(flow: Flow, call: Callable[[], Awaitable[ResultT]]) -> ResultT | Round:
    """One round: the handler's result, or the questions that it waits for.

    Once something has been asked, nothing that the handler returns or raises counts any more: a wrapper that re-raises,
    a `finally` that returns or a bare `except` can't turn a suspension into a result.

    Raises:
        Exception: whatever the handler raised, if it asked nothing.
        MCPError: the call is refused, or the flow is past a bound.
    """
    task = _this_task()
    before = _cancellations(task)
    token = current.set(flow)
    halt = flow.halt
    try:
        with CancelScope() as scope:
            halt.watch(task, scope)
            try:
                result = await call()
            except (KeyboardInterrupt, SystemExit, GeneratorExit):
                raise
            except BaseException:
                halt.end()
                if not halt.called:
                    raise
            else:
                halt.end()
    finally:
        current.reset(token)
    if not halt.called:
        return result
    await _outer_cancellation(task, before)
    return await ended(flow)


async def ended(flow: Flow) -> Round:
    """The questions of a round that has stopped.

    Raises:
        MCPError: the call is refused, or the flow is past a bound.
    """
    await flow.memory.settled()
    return flow.round_end()


ROOT: CodeType = run.__code__
"""The code whose frame marks the task in which the engine runs a handler."""


async def _outer_cancellation(task: object, before: int) -> None:
    """The handler was stopped by us; if somebody else cancelled the request meanwhile, that still holds.

    `before` counts the cancellations that this task had outlived when the handler was entered.
    """
    await anyio.lowlevel.checkpoint_if_cancelled()
    if _cancellations(task) > before:
        raise asyncio.CancelledError


def _this_task() -> object:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop of asyncio runs here
        import trio

        return trio.lowlevel.current_task()


def _cancellations(task: object) -> int:
    """How often this task has been cancelled by asyncio's own means, where that can be told."""
    return task.cancelling() if sys.version_info >= (3, 11) and isinstance(task, asyncio.Task) else 0
