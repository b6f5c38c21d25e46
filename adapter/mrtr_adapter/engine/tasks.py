"""Whose task it is that asks.

A handler's own tasks are stopped with it. But a handler may also hand its work to the server: start a task in a group
that was open before the call, or put a job into the queue of a worker. To raise a suspension there would bring down
what other calls need.
"""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Any

import anyio
import sniffio

_GROUP: type[Any] | None = getattr(asyncio, "TaskGroup", None)


class Kin(Enum):
    """What a task is to the handler."""

    OWN = "own"
    """Stopped with it: its own task, one below it, a thread's, or one that nobody waits for."""
    GROUPED = "grouped"
    """In an `asyncio.TaskGroup`, perhaps the server's: that takes a cancelled task as ended, and nothing else."""
    GUEST = "guest"
    """Started by the handler in a group of the server's, which any exception would end."""
    SHARED = "shared"
    """The server's own, at work for this call among others."""


def kin(root: int, *, started: bool) -> Kin:
    """What the current task is to the handler whose task has the id `root`.

    `started` tells that it runs in the handler's context, so that the handler started it.
    """
    task = anyio.get_current_task()
    if task.id == root or _is_below(task, root):
        return Kin.OWN
    if task.parent_id is not None:
        return Kin.GUEST if started else Kin.SHARED
    if sniffio.current_async_library() != "asyncio":
        return Kin.OWN
    callbacks = [callback for callback, _ in getattr(asyncio.current_task(), "_callbacks", None) or ()]
    if _GROUP is not None and any(isinstance(getattr(c, "__self__", None), _GROUP) for c in callbacks):
        return Kin.GROUPED if started else Kin.SHARED
    from_thread = any("_chain_future" in getattr(callback, "__qualname__", "") for callback in callbacks)
    return Kin.OWN if started or from_thread else Kin.SHARED


def _is_below(task: anyio.TaskInfo, root: int) -> bool:
    """Whether this task was started in a group of the handler's, at whatever depth."""
    parent = task.parent_id
    if parent is None or parent == root:
        return parent == root
    running = {other.id: other for other in anyio.get_running_tasks()}
    while parent is not None and parent != root:
        above = running.get(parent)
        parent = above.parent_id if above is not None else None
    return parent == root
