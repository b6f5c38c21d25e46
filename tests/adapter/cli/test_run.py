"""`mrtr run` serves a file as it stands to clients of both eras, over HTTP and over stdio."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from adapter.cli.commands import MRTR, SHOP, User, environment, mrtr, serving, written
from mrtr_adapter.sealing.keys import new_key

if TYPE_CHECKING:
    from mcp.client.client import ConnectMode

MODERN, LEGACY = "2026-07-28", "2025-11-25"
MODES: dict[str, ConnectMode] = {MODERN: "auto", LEGACY: "legacy"}
ASKED = ["Sell vase?", "Really sell vase?"]
SOLD = [TextContent(type="text", text="vase: accept, accept")]


async def check_sale(server: str | StdioServerParameters, version: str) -> None:
    """A sale goes through on this protocol version, with both questions asked, once each."""
    user = User()
    async with Client(server, mode=MODES[version], elicitation_callback=user.elicit) as client:
        assert client.protocol_version == version
        assert (await client.call_tool("sell", {"thing": "vase"})).content == SOLD
    assert user.asked == ASKED


async def test_both_eras_over_http_at_one_endpoint(tmp_path: Path) -> None:
    with serving(written(tmp_path, SHOP)) as server:
        for version in MODES:
            await check_sale(server.url, version)


@pytest.mark.parametrize("version", MODES)
async def test_over_stdio(version: str, tmp_path: Path) -> None:
    await check_sale(over_stdio(written(tmp_path, SHOP)), version)


LOW_LEVEL = """
from mcp.server import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

SURE = {"type": "object", "properties": {"sure": {"type": "boolean"}}}

async def tools(ctx, params):
    return ListToolsResult(tools=[Tool(name="sell", input_schema={"type": "object"})])

async def call(ctx, params):
    thing = params.arguments["thing"]
    first = await ctx.session.elicit_form(f"Sell {thing}?", SURE)
    second = await ctx.session.elicit_form(f"Really sell {thing}?", SURE)
    text = f"{thing}: {first.action}, {second.action}"
    return CallToolResult(content=[TextContent(type="text", text=text)])

def build():
    return Server("shop", on_list_tools=tools, on_call_tool=call)
"""


async def test_low_level_server_from_a_function(tmp_path: Path) -> None:
    file = written(tmp_path, LOW_LEVEL)
    with serving(Path(f"{file}:build")) as server:
        for version in MODES:
            await check_sale(server.url, version)
    await check_sale(over_stdio(Path(f"{file}:build")), MODERN)


FAST = """
from fastmcp import Context, FastMCP
from pydantic import BaseModel

shop = FastMCP("shop")


class Sure(BaseModel):
    sure: bool


@shop.tool
async def sell(thing: str, ctx: Context) -> str:
    first = await ctx.elicit(f"Sell {thing}?", Sure)
    second = await ctx.elicit(f"Really sell {thing}?", Sure)
    return f"{thing}: {first.action}, {second.action}"


shop.run()
"""


async def test_fastmcp_server(tmp_path: Path) -> None:
    file = written(tmp_path, FAST)
    with serving(file) as server:
        for version in MODES:
            await check_sale(server.url, version)
    for version in MODES:
        await check_sale(over_stdio(file), version)


async def test_instances_with_one_key_share_a_flow(tmp_path: Path) -> None:
    file, keys = written(tmp_path, SHOP), tmp_path / "keys"
    keys.write_text(f"{new_key()}  # the sealing one\n{new_key()}\n")
    with serving(file, "--keys-file", str(keys)) as first, serving(file, "--keys-file", str(keys)) as second:
        asked = await one_round(first.url)
        asked = await one_round(second.url, asked)
        assert await one_round(first.url, asked) == SOLD


async def test_policy_of_the_owner_is_kept(tmp_path: Path) -> None:
    keys, own = tmp_path / "keys", OWN_POLICY + SHOP.replace('MCPServer("shop"', 'MCPServer("shop", **policy')
    keys.write_text(new_key())
    file = written(tmp_path, own)
    await check_sale(over_stdio(file, new_key()), MODERN)
    refused = mrtr("run", str(file), "--keys-file", str(keys))
    assert refused.status == 2
    assert "shop has a request_state_security= of its own, which is kept" in refused.line


OWN_POLICY = """
from mcp.server.request_state import RequestStateSecurity
policy = {"request_state_security": RequestStateSecurity(keys=["k" * 40], ttl=60)}
"""


async def one_round(url: str, asked: object = None) -> object:
    """Call the tool, or go on with what was asked: the next question, or the content of the result."""
    answers, state = None, None
    if asked is not None:
        answers = {
            key: await User().elicit(None, request.params) for key, request in asked.input_requests.items()
        }
        state = asked.request_state
    async with Client(url, elicitation_callback=User().elicit) as client:
        result = await client.session.call_tool(
            "sell", {"thing": "vase"}, input_responses=answers, request_state=state, allow_input_required=True
        )
    return getattr(result, "content", result)


def test_foreign_host_header_is_refused(tmp_path: Path) -> None:
    with serving(written(tmp_path, SHOP)) as server:
        answer = httpx2.post(
            server.url,
            headers={
                "Host": "evil.example",
                "Content-Type": "application/json",
                "MCP-Protocol-Version": MODERN,
            },
            content="{}",
        )
    assert answer.status_code == 421


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signal_ends_http_gracefully(number: signal.Signals, tmp_path: Path) -> None:
    with serving(written(tmp_path, SHOP + CLEANS_UP)) as server:
        async with Client(server.url, mode="legacy") as client:
            await client.list_tools()
            assert server.end(number) == 0
    server.said("the lifespan has ended")
    assert "Traceback" not in "".join(server.lines)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_stdio_gracefully(number: signal.Signals, tmp_path: Path) -> None:
    file = written(tmp_path, SHOP + CLEANS_UP)
    with subprocess.Popen(
        [*MRTR, "run", str(file)], env=environment(), text=True, stdin=-1, stdout=-1, stderr=-1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        try:
            assert process.wait(20) == 0
        finally:
            process.kill()
        said = process.stderr.read()
    assert "the lifespan has ended" in said
    assert "Traceback" not in said


SLOW = """
@shop.tool()
async def dawdle() -> str:
    import sys, anyio
    print("dawdling", file=sys.stderr)
    await anyio.sleep(60)
    return "at last"
"""


async def test_request_that_outlasts_the_end_is_cut_off(tmp_path: Path) -> None:
    with serving(written(tmp_path, SHOP + SLOW)) as server:

        async def dawdle() -> None:
            with suppress(Exception):  # how a client takes it is not ours to promise
                async with Client(server.url) as client:
                    await client.call_tool("dawdle")

        async with anyio.create_task_group() as group:
            group.start_soon(dawdle)
            await anyio.to_thread.run_sync(server.said, "dawdling")
            assert await anyio.to_thread.run_sync(server.end, signal.SIGTERM) == 0
    server.said("A request that was still running was cut off")
    assert "Traceback" not in "".join(server.lines)


def test_person_at_a_terminal_is_told_what_it_waits_for(tmp_path: Path) -> None:
    keyboard, terminal = os.openpty()
    with subprocess.Popen(
        [*MRTR, "run", str(written(tmp_path, SHOP))], stdin=terminal, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "printed while it is imported\n"
        said = process.stderr.readline()
        process.kill()
    os.close(keyboard)
    os.close(terminal)
    assert said.startswith("mrtr run: shop speaks MCP on stdin and stdout")
    assert "--http 127.0.0.1:8000" in said


CLEANS_UP = """
import sys
from contextlib import asynccontextmanager

import anyio

@asynccontextmanager
async def lifespan(server):
    try:
        yield
    finally:
        await anyio.sleep(0.05)
        print("the lifespan has ended", file=sys.stderr)

shop._lowlevel_server.lifespan = lifespan
"""


def over_stdio(file: Path, keys: str | None = None) -> StdioServerParameters:
    return StdioServerParameters(command=MRTR[0], args=[*MRTR[1:], "run", str(file)], env=environment(keys))


LINE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} %s %s: %s"
OWN_LINES = "import logging\nlogging.basicConfig(format='mine: %(message)s', level=logging.INFO)\n"
SERVERS = {"MCPServer": SHOP, "low-level": LOW_LEVEL + "\nshop = build()\n", "FastMCP": FAST}


@pytest.mark.parametrize("kind", SERVERS)
def test_log_lines_carry_time_and_level(kind: str, tmp_path: Path) -> None:
    says = "\nimport logging\nlogging.getLogger('desk').warning('it is late')\n"
    with serving(written(tmp_path, SERVERS[kind].replace("\nshop.run()\n", "") + says)) as server:
        server.said(LINE % ("INFO", r"uvicorn\.error", "Application startup complete"))
        if kind == "MCPServer":
            server.said(LINE % ("WARNING", "desk", "it is late"))


def test_a_server_from_a_function_logs_at_its_own_level(tmp_path: Path) -> None:
    quiet = SHOP.replace('shop = MCPServer("shop")', 'shop = MCPServer("shop", log_level="WARNING")')
    ends = "\nimport logging\ndef build():\n    return shop\nlogging.info('not heard')\nlogging.warning('heard')\n"
    with serving(Path(f"{written(tmp_path, quiet + ends)}:build")) as server:
        pass
    server.said(LINE % ("WARNING", "root", "heard"))
    assert "not heard" not in "".join(server.lines)


def test_logging_that_the_file_sets_up_is_kept(tmp_path: Path) -> None:
    with serving(written(tmp_path, OWN_LINES + SHOP)) as server:
        server.said("^mine: ")
    assert not re.search(r"^\d{4}-", "".join(server.lines), re.MULTILINE)
