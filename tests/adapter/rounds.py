"""Drives an adapted server round by round, each on a fresh instance, with the raw messages of the wire.

A request goes through the SDK's own 2026-07-28 entry (middleware, boundary, validation, handler); only the transport
is left out. So a test can send what no client would send, and nothing in memory survives from round to round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_on_request
from mcp.shared.transport_context import TransportContext
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

KEY = "test-key-" + "k" * 40
EVERYTHING: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}},
    "roots": {},
}
Answer = Callable[[str, dict[str, Any]], "dict[str, Any] | None"]
"""What the client says to a request, given its key and itself; None leaves it out."""


@dataclass
class Dispatch:
    """The dispatch context of one request, keeping the notifications that the server sent."""

    request_id: int = 1
    transport: TransportContext = field(
        default_factory=lambda: TransportContext(kind="test", can_send_request=False)
    )
    message_metadata: None = None
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def send_raw_request(self, method: str, params: Any, opts: Any = None) -> Any:
        raise AssertionError(f"{method} was pushed on 2026-07-28")

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: Any = None) -> None:
        self.sent.append((method, dict(params or {})))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        self.sent.append(("progress", {"progress": progress, "message": message}))


async def send(
    server: Any,
    method: str,
    params: Mapping[str, Any],
    *,
    capabilities: Mapping[str, Any] = EVERYTHING,
    meta: Mapping[str, Any] | None = None,
    dispatch: Dispatch | None = None,
) -> dict[str, Any]:
    """One request, as it would come over the wire; what comes back, or the error that it raises."""
    low: Server[Any] = getattr(server, "_lowlevel_server", server)
    envelope = {
        PROTOCOL_VERSION_META_KEY: "2026-07-28",
        CLIENT_INFO_META_KEY: {"name": "test", "version": "1"},
        CLIENT_CAPABILITIES_META_KEY: dict(capabilities),
        **(meta or {}),
    }
    async with low.lifespan(low) as state:
        handle = modern_on_request(low, state)
        return await handle(dispatch or Dispatch(), method, {**params, "_meta": envelope})


async def call(
    server: Any, tool: str, arguments: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """One round of a tool call. `state` and `responses` are those of a retry."""
    params: dict[str, Any] = {"name": tool, "arguments": dict(arguments or {})}
    if (state := more.pop("state", None)) is not None:
        params["requestState"] = state
    if (responses := more.pop("responses", None)) is not None:
        params["inputResponses"] = responses
    return await send(server, "tools/call", params, **more)


@dataclass
class Played:
    """A flow from its first round to its result."""

    result: dict[str, Any]
    rounds: list[dict[str, dict[str, Any]]]
    """The requests of each round that asked."""
    states: list[str]
    sent: list[list[tuple[str, dict[str, Any]]]]
    """The notifications of each round, the last one included."""

    @property
    def text(self) -> str:
        return str(self.result["content"][0]["text"])

    @property
    def asked(self) -> list[str]:
        return [str(r["params"]["message"]) for asked in self.rounds for r in asked.values()]


async def play(
    make: Callable[[], Any],
    method: str,
    params: Mapping[str, Any],
    answer: Answer,
    *,
    max_rounds: int = 12,
    **more: Any,
) -> Played:
    """Every round on a fresh instance of the server."""
    played = Played({}, [], [], [])
    retry: dict[str, Any] = {}
    for _ in range(max_rounds):
        dispatch = Dispatch()
        result = await send(make(), method, {**params, **retry}, dispatch=dispatch, **more)
        played.sent.append(dispatch.sent)
        if result["resultType"] == "complete":
            played.result = result
            return played
        requests = result.get("inputRequests", {})
        played.rounds.append(requests)
        played.states.append(result["requestState"])
        given = {key: answer(key, request) for key, request in requests.items()}
        retry = {"requestState": result["requestState"]}
        if requests:
            retry["inputResponses"] = {key: value for key, value in given.items() if value is not None}
    raise AssertionError(f"still asking after {max_rounds} rounds: {played.asked}")


async def play_tool(
    make: Callable[[], Any],
    tool: str,
    answer: Answer,
    arguments: Mapping[str, Any] | None = None,
    **more: Any,
) -> Played:
    return await play(make, "tools/call", {"name": tool, "arguments": dict(arguments or {})}, answer, **more)


def accept(**content: Any) -> Answer:
    return lambda key, request: {"action": "accept", "content": content}


def always(result: dict[str, Any]) -> Answer:
    return lambda key, request: result


def in_turn(*results: dict[str, Any] | None) -> Answer:
    """One answer after the other, whatever is asked."""
    left = iter(results)
    return lambda key, request: next(left)


def by_key(**results: dict[str, Any] | None) -> Answer:
    return lambda key, request: results[key]


YES: dict[str, Any] = {"action": "accept", "content": {"ok": True}}
NO: dict[str, Any] = {"action": "decline"}
