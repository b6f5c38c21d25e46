"""An old server as a child process that speaks on its stdin and stdout.

No shell is involved, and of the gateway's environment it sees only what a program needs to run (PATH, HOME …) and what
was named.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import anyio
from mcp.client.stdio import get_default_environment

from mrtr_adapter.gateway.link import MAX_MESSAGE_BYTES, Link, LinkClosed, Message
from mrtr_adapter.gateway.process import CHUNK, Process, started
from mrtr_adapter.gateway.stderr import Stderr
from mrtr_adapter.gateway.warden import Warden

logger = logging.getLogger("mrtr")

_MAX_COMPLAINTS = 10
_LAST_WORDS_SECONDS = 1.0
"""How long what a process has printed at its end is read, while somebody else may go on printing."""


@dataclass(frozen=True)
class Command:
    """What to start, and what it may see."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """On top of what every program gets."""
    folder: Path | None = None
    logs_stderr: bool = False
    """Have its stderr in the gateway's log, and not as it is where the gateway's own goes."""
    advice: ClassVar[str] = "run it by itself to see why; it has to speak MCP on its stdin and stdout"
    """What to do when it does not start."""

    @property
    def name(self) -> str:
        return " ".join(self.arguments)

    @asynccontextmanager
    async def opened(self, warden: Warden) -> AsyncIterator[Link]:
        """The process while it runs; afterwards nothing of it is left.

        Raises:
            LinkClosed: it can't be started.
        """
        try:
            process = await started(
                self.arguments, self.folder, get_default_environment() | dict(self.environment)
            )
        except OSError as error:
            raise LinkClosed(f"{self.arguments[0]} can't be started: {error.strerror or error}") from None
        await warden.watch(process.pid)
        stderr = Stderr(process.stderr, process.pid, logged=self.logs_stderr)
        async with anyio.create_task_group() as group:
            group.start_soon(stderr.relay)
            try:
                yield _Child(process, self.arguments[0], stderr)
            finally:
                with anyio.CancelScope(shield=True):
                    await process.end()
                    with anyio.move_on_after(_LAST_WORDS_SECONDS):
                        await stderr.ended()
                    stderr.stop()
                    process.close()
                    await warden.forget(process.pid)


class _Child:
    """Messages are lines of JSON. Lines that are not, as old servers print them, are logged and passed over."""

    def __init__(self, process: Process, name: str, stderr: Stderr) -> None:
        self._process = process
        self._name = name
        self._stderr = stderr
        self._buffer = bytearray()
        self._searched = 0
        self._complaints = 0
        self._unsaid: list[str] = []
        self._has_spoken = False
        self._writing = anyio.Lock(fast_acquire=True)

    async def send(self, message: Message) -> None:
        line = json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        try:
            async with self._writing:  # before Python 3.12 one task only may wait for room
                self._process.stdin.write(line)
                await self._process.stdin.drain()
        except (OSError, RuntimeError):
            raise LinkClosed(await self._epitaph("stdin")) from None

    async def receive(self) -> Message:
        while True:
            line = await self._line()
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                message = None
            if isinstance(message, dict):
                self._has_spoken = True
                self._log_complaints()
                return message
            if line.strip():
                self._complain(line)

    def _complain(self, line: bytes) -> None:
        """Log such a line; before the first message it is kept, as it may tell why there is none."""
        self._complaints += 1
        if self._complaints > _MAX_COMPLAINTS:
            return
        self._unsaid.append(line[:200].decode(errors="replace"))
        if self._has_spoken:
            self._log_complaints()

    def _log_complaints(self) -> None:
        for text in self._unsaid:
            logger.warning("%s printed a line that is no message: %r", self._name, text)
        if self._unsaid and self._complaints >= _MAX_COMPLAINTS:
            logger.warning("more such lines of this process are not logged")
        self._unsaid.clear()

    @property
    def printed(self) -> str:
        lines = [f"stdout: {text.strip()}" for text in self._unsaid[:1]]
        if said := self._stderr.last_lines:
            lines.append(f"stderr: {' / '.join(said)}")
        return ", ".join(lines)

    def speak(self, version: str) -> None:
        pass

    async def _line(self) -> bytes:
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            if self._searched > MAX_MESSAGE_BYTES:
                raise LinkClosed(f"{self._name} sent a message of more than {MAX_MESSAGE_BYTES} bytes")
            chunk = b""
            with suppress(OSError):
                chunk = await self._process.stdout.read(CHUNK)
            if not chunk:
                raise LinkClosed(await self._epitaph("stdout"))
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    async def _epitaph(self, closed: str) -> str:
        """Why it can't be spoken with: most that close a pipe have ended, which is what an owner can look into."""
        status = None
        with anyio.move_on_after(1):
            status = await self._process.ended()
            await self._stderr.ended()
        if status is not None:
            return f"{self._name} has ended with status {status}"
        return f"{self._name} has closed its {closed}"
