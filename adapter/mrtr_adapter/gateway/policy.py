"""Which calls may be run again from the top, on another session of the old server.

What an old server did before it asked is done again by that. So the operator says for which tools that is fine: for
all, for those that the server itself annotates as read-only or idempotent (`safe`), for none, or for those named.
Prompts and resources are reads.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

ALL, SAFE, NONE = "all", "safe", "none"
CHOICES = (ALL, SAFE, NONE)

FindTool = Callable[[str], Awaitable["dict[str, Any] | None"]]
"""A tool as `tools/list` shows it, by its name."""


@dataclass(frozen=True)
class ReplayPolicy:
    """`choice` speaks for all tools that are not named in `tools`; those may be run again."""

    choice: str = SAFE
    tools: Collection[str] = ()

    async def allows(self, method: str, target: str, find: FindTool) -> bool:
        """Whether this call may be run again."""
        if method != "tools/call":
            return self.choice != NONE or bool(self.tools)
        if self.choice == ALL or target in self.tools:
            return True
        if self.choice == NONE:
            return False
        hints = ((await find(target)) or {}).get("annotations") or {}
        return hints.get("readOnlyHint") is True or hints.get("idempotentHint") is True
