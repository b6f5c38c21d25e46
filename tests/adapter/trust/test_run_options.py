"""`mrtr run --store URL --single-use …`: several processes redeem each state once between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitResult, InputRequiredResult

from adapter.cli.commands import MRTR, environment, mrtr, serving, written
from adapter.trust.stores import url_of
from mrtr_adapter.sealing.keys import new_key
from mrtr_adapter.serving.refusal import CannotServe
from mrtr_adapter.serving.single_use import parse_single_use

pytestmark = pytest.mark.anyio

COUNTING = """
import os
from pathlib import Path
from pydantic import BaseModel
from mcp.server.mcpserver import Context, MCPServer

shop = MCPServer("shop")
sales = Path(__file__).with_name("sales")


class Sure(BaseModel):
    sure: bool


@shop.tool()
async def sell(thing: str, ctx: Context) -> str:
    answer = await ctx.elicit(f"Sell {thing}?", Sure)
    with sales.open("a") as book:
        book.write(f"{thing}\\n")
    return f"sold by {os.getpid()}"
"""
YES = {"answer": ElicitResult(action="accept", content={"sure": True})}
TIMES = 12


async def asked(server: Any) -> str:
    async with Client(server, elicitation_callback=_never) as client:
        result = await client.session.call_tool("sell", {"thing": "vase"}, allow_input_required=True)
    assert isinstance(result, InputRequiredResult)
    assert result.request_state is not None
    return result.request_state


async def answered(server: Any, state: str) -> str:
    """The result's text, or the error's."""
    async with Client(server, elicitation_callback=_never) as client:
        try:
            result = await client.session.call_tool(
                "sell", {"thing": "vase"}, input_responses=YES, request_state=state, allow_input_required=True
            )
        except MCPError as error:
            return error.message
    assert isinstance(result, CallToolResult)
    return str(result.content[0].text)  # type: ignore[union-attr]


async def _never(context: Any, params: Any) -> ElicitResult:
    raise AssertionError("the rounds are driven by hand")


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
async def test_workers_redeem_each_state_once_between_them(kind: str, tmp_path: Path) -> None:
    options = ("--workers", "2", "--store", url_of(kind, tmp_path), "--single-use", "all")
    with serving(written(tmp_path, COUNTING), *options, keys=new_key()) as server:
        state = await asked(server.url)
        replies = {await answered(server.url, state) for _ in range(TIMES)}
    assert len(replies) == 1
    assert (tmp_path / "sales").read_text() == "vase\n"


async def test_over_stdio_a_state_outlives_the_process_and_its_reply_does_too(tmp_path: Path) -> None:
    command = [*MRTR, "run", str(written(tmp_path, COUNTING)), "--store", f"sqlite:///{tmp_path}/store.db"]
    server = StdioServerParameters(
        command=command[0], args=[*command[1:], "--single-use", "sell"], env=environment(new_key())
    )
    state = await asked(server)
    first = await answered(server, state)
    assert await answered(server, state) == first
    assert (tmp_path / "sales").read_text() == "vase\n"


async def test_by_default_only_what_is_annotated_destructive_is_redeemed_once(tmp_path: Path) -> None:
    with serving(written(tmp_path, COUNTING), keys=new_key()) as server:
        state = await asked(server.url)
        for _ in range(2):
            await answered(server.url, state)
    assert (tmp_path / "sales").read_text() == "vase\n" * 2


REFUSED = {
    "no such store": (["--store", "mysql://host"], "use memory:, sqlite:///FILE or redis://HOST:PORT/DB"),
    "no file": (["--store", "sqlite:"], "write sqlite:///FILE"),
    "no folder": (["--store", "sqlite:////no/such/folder/store.db"], "unable to open database file"),
    "memory for two": (
        ["--store", "memory:", "--workers", "2", "--http", "127.0.0.1:0"],
        "is of one process",
    ),
    "mixed words": (["--single-use", "all,sell"], "--single-use all speaks for all tools"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_said_in_one_line(case: str, tmp_path: Path) -> None:
    options, said = REFUSED[case]
    ended = mrtr("run", str(written(tmp_path, COUNTING)), *options, keys=new_key())
    assert ended.status == 2
    assert said in ended.line
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), None),
        (("all",), True),
        (("none",), False),
        (("destructive",), "destructive"),
        (("pay",), ["pay"]),
        (("pay, delete", "move"), ["pay", "delete", "move"]),
    ],
)
def test_single_use_is_a_word_or_names(given: tuple[str, ...], expected: object) -> None:
    assert parse_single_use(given) == expected


def test_a_word_for_all_tools_does_not_mix_with_names() -> None:
    with pytest.raises(CannotServe, match="speaks for all tools"):
        parse_single_use(("destructive", "pay"))


async def test_a_state_of_before_does_not_become_reusable_without_the_store(tmp_path: Path) -> None:
    file, key = written(tmp_path, COUNTING), new_key()
    store = ("--store", f"sqlite:///{tmp_path}/store.db", "--single-use", "all")
    with serving(file, *store, keys=key) as server:
        state = await asked(server.url)
    with serving(file, "--single-use", "none", keys=key) as server:
        assert "can't reach its store" in await answered(server.url, state)
    assert not (tmp_path / "sales").exists()
