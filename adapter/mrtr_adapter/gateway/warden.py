"""Ends the children of a gateway that was killed.

A child that only reads its stdin learns of the gateway's death by itself; one that hangs, or the grandchildren of a
launcher such as npx, may not. So a small process of its own holds the list of process groups, and when its stdin
closes, because the gateway has gone in whatever way, it ends those that are left.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import Process

logger = logging.getLogger("mrtr")

_SCRIPT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for number in (signal.SIGTERM, signal.SIGKILL):
    for group in groups:
        try:
            os.killpg(group, number)
        except OSError:
            pass
    if groups and number == signal.SIGTERM:
        time.sleep(2)
"""


class Warden:
    """Knows the process groups of the children that run. Where there are no such groups it does nothing."""

    def __init__(self, process: Process | None) -> None:
        self._process = process

    async def watch(self, group: int) -> None:
        await self._tell(f"+{group}\n")

    async def forget(self, group: int) -> None:
        await self._tell(f"-{group}\n")

    async def _tell(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        try:
            await self._process.stdin.send(line.encode())
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            logger.error(
                "the process that looks after orphans has gone: children may outlive a kill of the gateway"
            )
            self._process = None


@asynccontextmanager
async def warden() -> AsyncIterator[Warden]:
    """A warden for the children that are started meanwhile."""
    if os.name != "posix":
        yield Warden(None)
        return
    process = await anyio.open_process(
        [sys.executable, "-I", "-S", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield Warden(process)
    finally:
        with anyio.CancelScope(shield=True):
            assert process.stdin is not None
            await process.stdin.aclose()
            await process.wait()
