"""The example of docs/replay.md: what its comments say of each step is counted over all rounds."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import anyio
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitResult, ToolAnnotations
from pydantic import BaseModel

DONE: list[str] = []


class Receipt(BaseModel):
    number: int


class Confirm(BaseModel):
    ok: bool


async def fetch_rate(currency: str) -> Decimal:
    DONE.append(f"fetched {currency}")
    return Decimal("1.1")


def charge(card: str, amount: Decimal) -> Receipt:
    DONE.append(f"charged {amount} to {card}")
    return Receipt(number=7)


def notify(receipt: Receipt) -> None:
    DONE.append(f"notified of {receipt.number}")


def names() -> dict[str, Any]:
    DONE.clear()
    known = (ToolAnnotations, Decimal, Context, Confirm, fetch_rate, charge, notify)
    return {"mcp": MCPServer("bank"), **{each.__name__: each for each in known}}


def check(names: dict[str, Any]) -> None:
    asked: list[str] = []
    assert anyio.run(_paid, names["mcp"], asked) == "Paid, accept"
    assert re.fullmatch(r"Pay 22\.0 at \d\d:\d\d\?", asked[0])
    assert asked[1:] == ["Print receipt 7?"]
    assert DONE == ["fetched EUR", "charged 20 to 1234", "notified of 7"]


async def _paid(server: MCPServer, asked: list[str]) -> str:
    async def accept(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"ok": True})

    async with Client(server, elicitation_callback=accept) as client:
        result: Any = await client.call_tool("pay", {"card": "1234", "amount": "20"})
        return str(result.content[0].text)
