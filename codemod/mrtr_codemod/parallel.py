"""Work spread over processors by forking: the children see all that is known already, and send back only results."""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn, TypeVar, cast

Item = TypeVar("Item")
Result = TypeVar("Result")

_WORTH_IT = 30
"""Items for each process: fewer are done sooner than a process is started."""
_MOST_PROCESSES = 8
_LENGTH = struct.Struct("=Q")


def spread(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """The result of `work` for each item, in the order of the items.

    Where there is one processor, no `fork`, or little to do, all of it happens in this process. So does the work of a
    process that ends before its time, for want of memory perhaps. What `work` raises is raised here in any case.
    """
    processes = min(_processors(), len(items) // _WORTH_IT, _MOST_PROCESSES)
    if processes < 2:
        yield from map(work, items)
        return
    children: list[_Child] = []
    try:
        children.extend(_Child(work, items[first::processes]) for first in range(1, processes))
        yield from _in_turn(work, items, children)
    finally:
        for child in children:
            child.end()


def _in_turn(
    work: Callable[[Item], Result], items: Sequence[Item], children: Sequence[_Child]
) -> Iterator[Result]:
    """Every n-th result is this process's own; it works on them ahead of their turn while a child is not ready."""
    own = iter(range(0, len(items), len(children) + 1))
    done: dict[int, Result] = {}
    for index, item in enumerate(items):
        child = children[index % (len(children) + 1) - 1] if index % (len(children) + 1) else None
        while index not in done:
            if child is not None and child.is_ready():
                done[index] = child.result(work, item)
            elif (mine := next(own, None)) is not None:
                done[mine] = work(items[mine])
            elif child is not None:
                done[index] = child.result(work, item)
        yield done.pop(index)


class _Child:
    """A process that works on items of its own."""

    def __init__(self, work: Callable[[Item], Result], items: Sequence[Item]) -> None:
        self._results, results = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(self._results)
            _serve(work, items, results)
        os.close(results)

    def is_ready(self) -> bool:
        """Whether the next result, or the end of this process, is there to be read."""
        return bool(select.select([self._results], [], [], 0)[0])

    def result(self, work: Callable[[Item], Result], item: Item) -> Result:
        """Its next result, which is that of `item`."""
        data = _read(self._results, _LENGTH.size)
        data = _read(self._results, _LENGTH.unpack(data)[0]) if data else b""
        if not data:
            return work(item)
        outcome = pickle.loads(data)  # noqa: S301  (what this program wrote itself a moment ago)
        if isinstance(outcome, _Raised):
            raise outcome.error
        return cast("Result", outcome)

    def end(self) -> None:
        """Wait for its end; if it is not done, it is of no use any more."""
        os.close(self._results)
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def _serve(work: Callable[[Item], Result], items: Sequence[Item], results: int) -> NoReturn:
    """Send the results; never come back into what this process was in the middle of when it was forked."""
    try:
        for item in items:
            data = _outcome(work, item)
            _write(results, _LENGTH.pack(len(data)) + data)
    finally:
        os._exit(0)


def _outcome(work: Callable[[Item], Result], item: Item) -> bytes:
    try:
        return pickle.dumps(work(item), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        try:
            return pickle.dumps(_Raised(error))
        except Exception:  # an error that cannot be sent
            return pickle.dumps(_Raised(RuntimeError(repr(error))))


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _read(descriptor: int, size: int) -> bytes:
    """That many bytes; none if the other end is closed before."""
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _processors() -> int:
    if not hasattr(os, "fork") or sys.platform == "darwin":  # there, system libraries do not survive a fork
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
