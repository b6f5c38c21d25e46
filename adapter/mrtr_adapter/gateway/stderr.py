"""What an old server prints on its stderr: passed on as it comes. Its last lines are kept, to tell what went wrong."""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress

import anyio

logger = logging.getLogger("mrtr.behind")

_CHUNK = 16 * 1024
_LONGEST = 8 * 1024
"""Bytes of a line; what is longer is logged in pieces."""
_KEPT = 2 * 1024
_LINES = 3


class Stderr:
    """Args:
    stream: its end on this side.
    pid: of the process.
    logged: whether its lines become records of the gateway's log, or go out where that does, as they are.
    """

    def __init__(self, stream: asyncio.StreamReader, pid: int, *, logged: bool) -> None:
        self._stream = stream
        self._pid = pid
        self._logged = logged
        self._rest = b""
        self._kept = b""
        self._ended = anyio.Event()
        self._relaying = anyio.CancelScope(shield=True)

    async def relay(self) -> None:
        """Pass it on until it is closed or `stop`, even if cancelled: a process may not end before it is read."""
        with self._relaying:
            while chunk := await self._stream.read(_CHUNK):
                self._kept = (self._kept + chunk)[-_KEPT:]
                if self._logged:
                    self._log_lines(chunk)
                else:
                    _pass_on(chunk)
        self._log(self._rest)
        self._ended.set()

    def stop(self) -> None:
        """Pass on no more."""
        self._relaying.cancel()

    async def ended(self) -> None:
        """Wait until all of it has been passed on."""
        await self._ended.wait()

    @property
    def last_lines(self) -> list[str]:
        """Those that say something by themselves: of a traceback, the error."""
        lines = [line.rstrip() for line in self._kept.decode(errors="replace").splitlines()]
        return [line for line in lines if line and not line.startswith((" ", "\t", "Traceback ("))][-_LINES:]

    def _log_lines(self, chunk: bytes) -> None:
        *lines, rest = (self._rest + chunk).split(b"\n")
        while len(rest) > _LONGEST:
            lines.append(rest[:_LONGEST])
            rest = rest[_LONGEST:]
        for line in lines:
            self._log(line)
        self._rest = rest

    def _log(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        if text:
            logger.info("%s", text, extra={"pid": self._pid})


def _pass_on(chunk: bytes) -> None:
    if sys.stderr is None:
        return
    with suppress(OSError, ValueError):  # nobody reads any more, which is nothing to the old server
        sys.stderr.buffer.write(chunk)
        sys.stderr.buffer.flush()
