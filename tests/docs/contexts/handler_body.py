"""Blocks that stand in a handler: what they call is counted over all rounds, and compared with their comments.

A comment says "once in every round", or something else, which has to be once in the flow.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from typing import Any

import anyio
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitResult
from pydantic import BaseModel

from mrtr_adapter import adapt

SYNC = ("fetch_rate", "place_hold", "notify", "remove")
ASYNC = ("take_snapshot",)
HEAD = (
    "async def handler(paths: list[str], ctx: Context) -> str:\n    currency, invoice, ticket = 'EUR', 7, 8\n"
)
ASK = 'await ctx.elicit("Really?", Confirm)'


class Confirm(BaseModel):
    ok: bool


def run(text: str) -> None:
    """Run the block in a handler that asks, and compare how often its steps were done with what its comments say."""
    body = text if "ctx.elicit(" in text else f"{text}\n{ASK}"
    rounds = body.count("ctx.elicit(") + 1
    done: Counter[str] = Counter()
    scope: dict[str, Any] = {"Context": Context, "Confirm": Confirm}
    scope |= {name: _counting(done, name) for name in SYNC}
    scope |= {name: _counting_later(done, name) for name in ASYNC}
    exec(f"{HEAD}{textwrap.indent(body, '    ')}\n    return 'done'", scope)
    mcp = adapt(MCPServer("desk"))
    mcp.tool()(scope["handler"])
    assert anyio.run(_text_of_call, mcp) == "done"
    said = _said(text)
    assert said
    for name, every_round in said.items():
        times = rounds if every_round else 1
        assert done[name] == times, f"{name} was done {done[name]} times in {rounds} rounds"


def _said(text: str) -> dict[str, bool]:
    """Of each step that has a comment: whether it says that it happens in every round."""
    found = {}
    for line in text.splitlines():
        code, _, comment = line.partition("#")
        steps = [name for name in (*SYNC, *ASYNC) if re.search(rf"\b{name}\b", code)]
        if steps and comment:
            found[steps[0]] = "every round" in comment
    return found


def _counting(done: Counter[str], name: str) -> Any:
    def step(*_: Any) -> str:
        done[name] += 1
        return name

    return step


def _counting_later(done: Counter[str], name: str) -> Any:
    async def step(*_: Any) -> str:
        done[name] += 1
        return name

    return step


async def _accept(*_: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"ok": True})


async def _text_of_call(server: MCPServer) -> str:
    async with Client(server, elicitation_callback=_accept) as client:
        result: Any = await client.call_tool("handler", {"paths": ["a"]})
        return str(result.content[0].text)
