"""What comes of a request to an old server: a result, an error, or the end of the server."""

from __future__ import annotations

from typing import Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR


class ServerGone(MCPError):
    """The old server went away before it answered. What it was asked for may have been done."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            INTERNAL_ERROR,
            f"The server behind this gateway went away before it answered ({reason}); what was asked of it may have "
            "been done. Look whether it was before you call again",
            data={"reason": "server_gone"},
        )
        self.reason = reason


class Reply:
    """The reply to one request, once it is there."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.outcome: dict[str, Any] | MCPError | None = None
        self._stirred = anyio.Event()

    def settle(self, outcome: dict[str, Any] | MCPError) -> None:
        self.outcome = outcome
        self._stirred.set()

    def nudge(self) -> None:
        """Wake who waits, though there is no outcome yet."""
        if self.outcome is None:
            self._stirred.set()
            self._stirred = anyio.Event()

    async def stirred(self) -> None:
        """Wait for the outcome, or a nudge."""
        await self._stirred.wait()

    async def result(self) -> dict[str, Any]:
        while self.outcome is None:
            await self.stirred()
        if isinstance(self.outcome, MCPError):
            raise self.outcome
        return self.outcome
