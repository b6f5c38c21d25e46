"""A child process and its pipes.

It leads a process group of its own, which is ended as a whole: first by closing stdin, as MCP has it, then by SIGTERM,
then by SIGKILL. Whoever has left that group lives on, and is not waited for.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio

CHUNK = 64 * 1024
_LEADS_A_GROUP: dict[str, Any]
if os.name != "posix":
    _LEADS_A_GROUP = {}
elif sys.version_info >= (3, 11):
    _LEADS_A_GROUP = {"process_group": 0}
else:
    # On a busy Linux a session of its own waits for its turn among all others, which takes milliseconds a message.
    _LEADS_A_GROUP = {"start_new_session": True}
POLITE_SECONDS = 2.0
"""How long each of the gentler ways to end a child is given."""


class _Pipes(SubprocessStreamProtocol):
    """Knows when the process itself has ended: `wait()` of asyncio waits until nobody holds its pipes any more."""

    def __init__(self) -> None:
        super().__init__(limit=CHUNK, loop=asyncio.get_running_loop())
        self.ended = anyio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.ended.set()


async def started(arguments: Sequence[str], folder: Path | None, environment: Mapping[str, str]) -> Process:
    """A process in its own group. Raises `OSError` if it can't be started."""
    transport, pipes = await asyncio.get_running_loop().subprocess_exec(
        _Pipes,
        *arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment,
        **_LEADS_A_GROUP,
    )
    return Process(transport, pipes)


class Process:
    """A process that has been started."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: _Pipes) -> None:
        assert pipes.stdin is not None
        assert pipes.stdout is not None
        assert pipes.stderr is not None
        self.pid = transport.get_pid()
        self.stdin, self.stdout, self.stderr = pipes.stdin, pipes.stdout, pipes.stderr
        self._transport = transport
        self._ended = pipes.ended

    async def ended(self) -> int | None:
        """Wait until it has ended: its status."""
        await self._ended.wait()
        return self._transport.get_returncode()

    async def end(self) -> None:
        """End it and all of its group."""
        self.stdin.close()
        with anyio.move_on_after(POLITE_SECONDS):
            await self.ended()
        self._signal(signal.SIGTERM)
        with anyio.move_on_after(POLITE_SECONDS):
            await self.ended()
        if os.name == "posix":
            self._signal(signal.SIGKILL)
        elif not self._ended.is_set():
            self._transport.kill()
        await self.ended()

    def close(self) -> None:
        """Close what is left of its pipes, whoever else may hold their other ends."""
        self._transport.close()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self.pid, number)
            elif not self._ended.is_set():
                self._transport.terminate()
