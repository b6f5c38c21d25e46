"""What carries the messages of one old session: a child process, or HTTP."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

Message = dict[str, Any]
"""A JSON-RPC message as on the wire."""

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
"""A longer one ends the session: nobody reads it into memory."""


class LinkClosed(Exception):
    """The old server is gone, or says what is no JSON-RPC; the message tells how that came."""


class Link(Protocol):
    """A connection to an old server."""

    async def send(self, message: Message) -> None:
        """Raises `LinkClosed` if that can't be done any more."""

    async def receive(self) -> Message:
        """The next message. Raises `LinkClosed` at the end."""

    @property
    def printed(self) -> str:
        """What the old server has printed besides messages, for the operator's eyes only; empty if nothing."""

    def speak(self, version: str) -> None:
        """The protocol version that has been agreed upon."""


OpenLink = Callable[[], AbstractAsyncContextManager[Link]]
"""Connects; raises `LinkClosed` if there is nothing to connect to."""
