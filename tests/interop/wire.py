"""The 2026-07-28 wire by hand: a client that drives each round of a flow itself and knows no SDK.

It sends a round again when the connection broke before an answer came: the state and the answers are still
valid, and which instance takes them does not matter.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import anyio
import httpx2

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = "2026-07-28"
SENDS = 20
"""How often one round is sent before the client gives up."""
PAUSE_SECONDS = 0.1
FRONT_LOST_THE_INSTANCE = {502, 503}
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "by-hand", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": VERSION,
    "Mcp-Method": "tools/call",
}

Answer = dict[str, Any]


@dataclass
class Outcome:
    """How a flow ended: its result, and for each round its questions and how often it was sent in vain."""

    result: dict[str, Any]
    questions: list[list[str]]
    broken: list[int]


async def run_flow(
    client: httpx2.AsyncClient,
    url: str,
    tool: str,
    arguments: dict[str, Any],
    answer: Callable[[str], Answer],
) -> Outcome:
    """Call `tool` and answer each elicitation with `answer(message)` until the call is complete.

    Raises RuntimeError with the server's reply if that is an error, or after `SENDS` vain sends of one round.
    """
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    outcome = Outcome({}, [], [])
    while True:
        reply, broken = await _send_until_answered(client, url, params)
        outcome.broken.append(broken)
        if "error" in reply:
            raise RuntimeError(f"{tool} {arguments}: {reply['error']}")
        outcome.result = reply["result"]
        if outcome.result["resultType"] == "complete":
            return outcome
        requests = outcome.result["inputRequests"]
        outcome.questions.append([request["params"]["message"] for request in requests.values()])
        params["inputResponses"] = {
            key: answer(request["params"]["message"]) for key, request in requests.items()
        }
        params["requestState"] = outcome.result["requestState"]


async def _send_until_answered(
    client: httpx2.AsyncClient, url: str, params: dict[str, Any]
) -> tuple[dict[str, Any], int]:
    for broken in range(SENDS):
        reply = await send(client, url, params)
        if reply is not None:
            return reply, broken
        await anyio.sleep(PAUSE_SECONDS * (broken + 1))
    raise RuntimeError(f"no answer to {SENDS} requests for {params['name']} {params['arguments']}")


_ids = count(1)


async def send(client: httpx2.AsyncClient, url: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the server's reply, or None if the connection broke: so it may have acted or not."""
    message = {
        "jsonrpc": "2.0",
        "id": next(_ids),
        "method": "tools/call",
        "params": {**params, "_meta": META},
    }
    headers = {**HEADERS, "Mcp-Name": params["name"]}
    try:
        response = await client.post(url, json=message, headers=headers)
    except httpx2.TransportError:
        return None
    if response.status_code in FRONT_LOST_THE_INSTANCE:
        return None
    return _reply(response)


def _reply(response: httpx2.Response) -> dict[str, Any] | None:
    """Return the JSON-RPC reply, which stands alone or at the end of an event stream."""
    if not response.headers["content-type"].startswith("text/event-stream"):
        return dict(response.json())
    events = [line.removeprefix("data:") for line in response.text.splitlines() if line.startswith("data:")]
    replies = [event for event in map(json.loads, events) if "id" in event]
    return replies[-1] if replies else None
