"""An old server behind a gateway in this process, and clients of it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import ElicitResult, InputRequiredResult

from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.gateway import Gateway, running
from mrtr_adapter.gateway.holds import HoldLimits
from mrtr_adapter.gateway.policy import ReplayPolicy
from mrtr_adapter.gateway.pool import PoolLimits
from mrtr_adapter.gateway.settings import Settings

OLD_SERVER = Path(__file__).parent / "old_server.py"
SHARED_KEY = ["a-key-that-two-gateways-share-of-32-bytes-and-more"]


@dataclass
class Journal:
    """What the processes of an old server wrote down."""

    path: Path

    @property
    def lines(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []

    @property
    def acts(self) -> list[str]:
        """Without process ids, starts and ends."""
        done = [line.partition(" ")[2] for line in self.lines]
        return [act for act in done if act not in ("started", "ended")]

    @property
    def pids(self) -> set[int]:
        return {int(line.split()[0]) for line in self.lines}


def settings(
    journal: Journal, *, hold: float = 60.0, replay: str = "safe", tools: tuple[str, ...] = ()
) -> Settings:
    """For the old server of this folder; no spare sessions, so that a test sees just those that it needs."""
    return Settings(
        Command([sys.executable, str(OLD_SERVER), str(journal.path)]),
        pool=PoolLimits(spare=0),
        hold=HoldLimits(seconds=hold),
        replay=ReplayPolicy(replay, tools),
        keys=SHARED_KEY,
    )


@asynccontextmanager
async def client_of(gateway: Gateway, **callbacks: Any) -> AsyncIterator[Client]:
    """A 2026-07-28 client with elicitation in form and URL mode."""
    callbacks.setdefault("elicitation_callback", says_yes)
    async with Client(gateway.front, **callbacks) as client:
        assert client.protocol_version == "2026-07-28"
        yield client


async def says_yes(context: object, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"sure": True} if params.mode != "url" else None)


@dataclass
class Rounds:
    """One call, round by round, each of them at whatever client is handed in."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    state: str | None = None
    keys: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    async def send(self, client: Client, answers: dict[str, Any] | None = None) -> Any:
        """The result of the next round; None if it asks."""
        responses = {
            key: ElicitResult(**answer) if isinstance(answer, dict) else answer
            for key, answer in (answers or {}).items()
        }
        result = await client.session.call_tool(
            self.tool,
            self.arguments,
            allow_input_required=True,
            input_responses=responses or None,
            request_state=self.state,
        )
        if not isinstance(result, InputRequiredResult):
            return result
        self.state = result.request_state
        requests = result.input_requests or {}
        self.keys = list(requests)
        self.messages = [getattr(request.params, "message", "") for request in requests.values()]
        return None

    async def agree(self, client: Client) -> Any:
        """Send the next round with a yes to all that was asked."""
        yes = {"action": "accept", "content": {"sure": True}}
        return await self.send(client, dict.fromkeys(self.keys, yes))


def text(result: Any) -> str:
    return str(result.content[0].text)


__all__ = ["Gateway", "Journal", "Rounds", "client_of", "replace", "running", "says_yes", "settings", "text"]
