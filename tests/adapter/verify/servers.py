"""Servers to verify, as text, and a run of the command over one of them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from adapter.cli.commands import Ended, written
from adapter.cli.commands import mrtr as command

SHOP = """
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

print("noise on stdout")
mcp = MCPServer("shop")


class Sure(BaseModel):
    sure: bool


class Reason(BaseModel):
    reason: str


@mcp.tool()
async def refund(invoice: int, ctx: Context) -> str:
    print("more noise")
    answer = await ctx.elicit(f"Refund {invoice}?", Sure)
    if answer.action != "accept" or not answer.data.sure:
        return "Not refunded."
    why = await ctx.elicit("Why?", Reason)
    Path("refunds.txt").write_text(f"{invoice}: {why.action}")
    return f"Refunded {invoice}."
"""
"""Its tool asks twice, and has its effect below that."""

YES: dict[str, Any] = {"action": "accept", "content": {"sure": True}}
WHY: dict[str, Any] = {"action": "accept", "content": {"reason": "broken"}}
NO: dict[str, Any] = {"action": "decline"}


SECONDS = 900
"""A run starts dozens of processes, and the machine may have more to do."""
mrtr = partial(command, seconds=SECONDS)


def case(name: str, *answers: Any, **more: Any) -> dict[str, Any]:
    """A call of `refund`, if nothing else is named."""
    called = (
        {}
        if {"tool", "prompt", "resource"} & more.keys()
        else {"tool": "refund", "arguments": {"invoice": 7}}
    )
    return {"name": name, **called, "answers": list(answers), **more}


def verify(
    folder: Path, server: str, cases: list[dict[str, Any]], *arguments: str, server_object: str = ""
) -> Ended:
    """Write the server and its cases down, and run `mrtr verify` on them."""
    file, listed = written(folder, server), written(folder, json.dumps({"cases": cases}), "cases.json")
    target = f"{file}:{server_object}" if server_object else str(file)
    return mrtr("verify", target, "--cases", str(listed), *arguments)


def report(
    folder: Path, server: str, cases: list[dict[str, Any]], *arguments: str, **more: str
) -> dict[str, Any]:
    """As `verify`, with the JSON report."""
    ended = verify(folder, server, cases, "--format", "json", *arguments, **more)
    assert ended.out, ended.err
    parsed: dict[str, Any] = json.loads(ended.out)
    return {**parsed, "status": ended.status}
