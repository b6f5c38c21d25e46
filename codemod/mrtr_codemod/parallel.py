"""Work spread over processors by forking: the children see all that is known already, and send back only results."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

Item = TypeVar("Item")
Result = TypeVar("Result")

_WORTH_IT = 60
"""Fewer items than this are done sooner than processes are started."""
_AT_ONCE = 8
_inherited: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []
"""What a forked process finds when it starts: too much to be sent to it."""


def spread(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The result of `work` for each item, in the order of the items.

    Where there is one processor, no `fork`, or little to do, all of it happens in this process. What `work` raises is
    raised here in either case.
    """
    processors = _processors()
    if processors < 2 or len(items) < _WORTH_IT:
        yield from map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    _inherited.append((work, items))
    try:
        with ProcessPoolExecutor(processors, mp_context=get_context("fork")) as pool:
            yield from cast("Iterator[Result]", pool.map(_do, range(len(items)), chunksize=_AT_ONCE))
    finally:
        _inherited.pop()


def _do(index: int) -> object:
    work, items = _inherited[-1]
    return work(items[index])


def _processors() -> int:
    if not hasattr(os, "fork") or sys.platform == "darwin":  # there, system libraries do not survive a fork
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
