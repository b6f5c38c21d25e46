"""`mrtr run` serves a file for FastMCP 3 as it is, old names and all."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport

from mrtr_adapter.sealing.keys import new_key

pytestmark = pytest.mark.anyio

FILE = """
from fastmcp import Context, FastMCP
from fastmcp.server.sampling import SamplingTool
from fastmcp.tools.tool import ToolResult


def wordy(messages, params, context):
    return f"{params.tools[0].name}, {len(messages)} message"


mcp = FastMCP("old", sampling_handler=wordy)
lookup = SamplingTool.from_function(lambda word: word, name="lookup")


@mcp.tool
async def define(word: str, ctx: Context) -> ToolResult:
    meaning = await ctx.sample(f"Define {word}", tools=[lookup])
    fine = await ctx.elicit(f"{word}: {meaning.text}. Fine?")
    return ToolResult(content=f"{word} {fine.action}ed")


mcp.run()
"""


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_is_served(mode: Any, tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(FILE)
    asked: list[str] = []

    async def elicit(message: str, *_: Any) -> ElicitResult[Any]:
        asked.append(message)
        return ElicitResult(action="accept", content={})

    command = ["-m", "mrtr_adapter.cli", "run", str(tmp_path / "old.py")]
    transport = StdioTransport(sys.executable, command, env={"MRTR_KEYS": new_key()}, keep_alive=False)
    async with Client(transport, mode=mode, elicitation_handler=elicit) as client:
        assert (client.protocol_version == "2026-07-28") == (mode == "auto")
        result = await client.call_tool("define", {"word": "moss"})
    assert result.content[0].text == "moss accepted"
    assert asked == ["moss: lookup, 1 message. Fine?"]
