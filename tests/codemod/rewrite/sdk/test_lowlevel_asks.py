"""A decorated handler of 1.x that asks becomes the helper of a new one, which hands the question on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp import Client, types

from cases import drive
from mrtr_codemod.cli.rewrite import rewrite

pytestmark = pytest.mark.anyio

SERVER = """\
import mcp.types as types
from mcp.server.lowlevel import Server

server = Server("desk")
EFFECTS = []


@server.call_tool()
async def call_tool(name: str, arguments: dict) -> list[types.TextContent]:
    ctx = server.request_context
    what = arguments["what"]
    EFFECTS.append(f"look for {what}")
    answer = await ctx.session.elicit_form(
        message=f"Wipe {what}?",
        requestedSchema={"type": "object", "properties": {"ok": {"type": "boolean"}}},
    )
    if answer.action != "accept" or not answer.content or not answer.content.get("ok"):
        return [types.TextContent(type="text", text="kept")]
    EFFECTS.append(f"wipe {what}")
    return [types.TextContent(type="text", text=f"wiped {what}")]


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [types.Tool(name="wipe", inputSchema={"type": "object"})]
"""


async def refuse(*_: Any) -> Any:
    raise AssertionError("pushed on 2026-07-28")


@pytest.mark.parametrize(
    ("answer", "said", "done"),
    [
        ({"action": "accept", "content": {"ok": True}}, "wiped disk", ["look for disk", "wipe disk"]),
        ({"action": "accept", "content": {"ok": False}}, "kept", ["look for disk"]),
        ({"action": "decline"}, "kept", ["look for disk"]),
    ],
)
async def test_the_question_ends_the_call_and_the_answer_goes_on(
    tmp_path: Path, answer: dict[str, Any], said: str, done: list[str]
) -> None:
    file = tmp_path / "desk.py"
    file.write_text(SERVER)
    ran = CliRunner().invoke(rewrite, [str(file), "--unsafe", "--write"])
    assert ran.exit_code == 0, ran.output
    assert "1 of 1 handlers that ask rewritten" in ran.output
    first = drive.load(file)
    async with Client(first.server, elicitation_callback=refuse) as client:
        asked = await client.session.call_tool("wipe", {"what": "disk"}, allow_input_required=True)
    assert isinstance(asked, types.InputRequiredResult)
    ((key, question),) = (asked.input_requests or {}).items()
    assert question.params.message == "Wipe disk?"  # type: ignore[union-attr]
    second = drive.load(file)
    async with Client(second.server, elicitation_callback=refuse) as client:
        ended = await client.session.call_tool(
            "wipe",
            {"what": "disk"},
            input_responses={key: types.ElicitResult.model_validate(answer)},
            request_state=asked.request_state,
            allow_input_required=True,
        )
    assert isinstance(ended, types.CallToolResult)
    assert [c.text for c in ended.content if isinstance(c, types.TextContent)] == [said]
    assert done == first.EFFECTS + second.EFFECTS


async def test_a_client_that_can_not_be_asked_is_told_so(tmp_path: Path) -> None:
    from mcp import MCPError

    file = tmp_path / "desk.py"
    file.write_text(SERVER)
    CliRunner().invoke(rewrite, [str(file), "--unsafe", "--write"])
    async with Client(drive.load(file).server) as client:
        with pytest.raises(MCPError) as caught:
            await client.session.call_tool("wipe", {"what": "disk"}, allow_input_required=True)
    assert caught.value.error.code == -32021
