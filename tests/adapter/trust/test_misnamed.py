"""A name that nothing of the server has, in an option that is to protect what it names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.server import create_proxy
from mcp import Client
from mcp.server.mcpserver import MCPServer

from adapter.cli.commands import SHOP, mrtr, serving, written
from adapter.cli.test_run import FAST, LOW_LEVEL
from mrtr_adapter import adapt
from mrtr_adapter.engine.misnamed import misnamed

if TYPE_CHECKING:
    from mcp.client.client import ConnectMode

pytestmark = pytest.mark.anyio

NO_SEL = "names sel, but there is no such tool or prompt: did you mean sell? There are sell"
LIFESPAN = """
from contextlib import asynccontextmanager
@asynccontextmanager
async def lifespan(server):
    yield
"""
LATER = LIFESPAN + SHOP.replace('MCPServer("shop")', 'MCPServer("shop", lifespan=lifespan)')
MOUNTED = FAST.replace("shop.run()", "") + "\nfront = FastMCP('front')\nfront.mount(shop)\n"


@pytest.mark.parametrize("text", [SHOP, FAST], ids=["MCPServer", "FastMCP"])
def test_run_refuses_it_where_all_names_are_known(text: str, tmp_path: Path) -> None:
    ended = mrtr("run", str(written(tmp_path, text)), "--single-use", "sel")
    assert ended.status == 2
    assert f"--single-use {NO_SEL}" in ended.err.splitlines()[-1]
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("text", "target"),
    [(LATER, ""), (LOW_LEVEL, ":build"), (MOUNTED, ":front")],
    ids=["lifespan", "low-level", "mounted"],
)
async def test_run_logs_it_where_more_may_come(text: str, target: str, tmp_path: Path) -> None:
    file = Path(f"{written(tmp_path, text)}{target}")
    with serving(file, "--single-use", "sel") as server:
        async with Client(server.url) as client:
            await client.list_tools()
        server.said(r"WARNING mrtr: \w+: single_use names sel, but .* did you mean sell\?")


def sell() -> str:
    return "sold"


def buy() -> str:
    return "bought"


def letter() -> str:
    return "Dear"


MODES: list[ConnectMode] = ["auto", "legacy"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [MCPServer, FastMCP])
async def test_adapt_logs_it_once_when_tools_are_listed(
    kind: Any, mode: ConnectMode, caplog: pytest.LogCaptureFixture
) -> None:
    server = adapt(
        kind("desk"), single_use=["sel", "letter", "file:///x"], on_effect={"bye": "refuse", "*": "warn"}
    )

    for tool in (sell, buy):
        server.tool()(tool)
    server.prompt()(letter)
    low = server._mcp_server if kind is FastMCP else server
    async with Client(low, mode=mode) as client:
        assert "names" not in caplog.text
        for _ in range(2):
            assert len((await client.list_tools(cache_mode="bypass")).tools) == 2
    said = [record.getMessage() for record in caplog.records if "names" in record.getMessage()]
    missing = "but there is no such tool or prompt: did you mean"
    assert said == [
        f"desk: single_use names sel, {missing} sell? There are buy, letter, sell",
        f"desk: on_effect names bye, {missing} buy? There are buy, letter, sell",
    ]


async def test_a_list_that_fails_is_told_and_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    server = adapt(MCPServer("desk"), single_use=["sel"])
    server.tool()(buy)

    async def broken(ctx: object, params: object) -> None:
        raise RuntimeError("no prompts today")

    entry = server._lowlevel_server.get_request_handler("prompts/list")
    assert entry is not None
    server._lowlevel_server.add_request_handler("prompts/list", entry.params_type, broken)
    async with Client(server) as client:
        assert (await client.list_tools()).tools
    assert "can't be checked, since a list fails: no prompts today" in caplog.text


async def test_a_server_behind_a_proxy_is_not_held_against_the_names_of_the_one_in_front(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shop = FastMCP("shop")
    shop.tool()(sell)
    front = FastMCP("front")
    front.mount(create_proxy(shop), namespace="shop")
    adapt(front, single_use=["shop_sell"])
    async with Client(front._mcp_server) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["shop_sell"]
    assert "names" not in caplog.text


@pytest.mark.parametrize("uri", ["urn:isbn:1", "mailto:ada@example.org", "file:///x", "memo://{page}"])
def test_what_may_be_a_resource_is_no_slip(uri: str) -> None:
    assert misnamed("--single-use", [uri], ["sell"]) is None


def test_a_name_is_no_resource_where_tools_have_such_names() -> None:
    said = misnamed("--single-use", ["shop:sel"], ["shop:sell"])
    assert said is not None
    assert "did you mean shop:sell?" in said


def test_of_many_names_some_are_shown() -> None:
    said = misnamed("--single-use", ["sel"], [f"tool_{number}" for number in range(10_000)])
    assert said is not None
    assert said.endswith(" and 9980 more")
    assert len(said) < 400
