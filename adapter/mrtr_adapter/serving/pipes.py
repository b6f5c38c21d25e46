"""Pipes that are waited for in the event loop. A thread for each of stdin and stdout costs more than a whole call."""

from __future__ import annotations

import os
import select
import stat
from collections.abc import AsyncIterator

import anyio

_CHUNK = 64 * 1024


def can_be_waited_for(fd: int) -> bool:
    """Whether the event loop can wait for this descriptor: pipes and sockets on POSIX, and no files."""
    mode = os.fstat(fd).st_mode
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


async def lines_of(fd: int) -> AsyncIterator[str]:
    """The lines that come along a pipe, until its other end is closed."""
    begun: list[bytes] = []
    while True:
        await anyio.wait_readable(fd)
        chunk = os.read(fd, _CHUNK)
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            yield b"".join((*begun, line, b"\n")).decode(errors="replace")
            begun.clear()
        if rest:
            begun.append(rest)
        if not chunk:
            if begun:
                yield b"".join(begun).decode(errors="replace")
            return


class PipeWriter:
    """The part of a text file that the SDK's transport writes to.

    The descriptor stays in blocking mode, since others may share it. A pipe that is ready takes `PIPE_BUF` bytes
    without blocking, so no more are written at once.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._pending = b""
        self._ready = select.poll()
        self._ready.register(fd, select.POLLOUT)

    async def write(self, text: str) -> None:
        self._pending += text.encode()

    async def flush(self) -> None:
        """Raises `OSError` if nobody reads any more."""
        rest = memoryview(self._pending)
        self._pending = b""
        while rest:
            if not self._ready.poll(0):
                await anyio.wait_writable(self._fd)
            rest = rest[os.write(self._fd, rest[: select.PIPE_BUF]) :]
