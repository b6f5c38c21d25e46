"""Which tools it holds for."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, InputRequiredResult, ListToolsResult, TextContent, Tool, ToolAnnotations

from adapter.rounds import KEY, YES, call
from adapter.servers import Ok
from adapter.trust.single_use.deletion import DESTRUCTIVE, SURE
from adapter.trust.stores import CountingStore
from mrtr_adapter import adapt
from mrtr_adapter.stores import Store
from mrtr_adapter.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio


def three_tools(**options: Any) -> MCPServer:
    server = MCPServer("tools")

    async def asks(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Ok)).action

    server.add_tool(asks, name="plain")
    server.add_tool(asks, name="destructive", annotations=DESTRUCTIVE)
    server.add_tool(asks, name="harmless", annotations=ToolAnnotations(destructive_hint=False))
    return adapt(server, keys=[KEY], **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"destructive"}),
        ({"single_use": "destructive"}, {"destructive"}),
        ({"single_use": True}, {"plain", "destructive", "harmless"}),
        ({"single_use": False}, set()),
        ({"single_use": ["plain", "harmless"]}, {"plain", "harmless"}),
    ],
)
async def test_single_use_holds_for_all_for_none_for_the_destructive_or_for_those_named(
    options: dict[str, Any], expected: set[str]
) -> None:
    counted = CountingStore(MemoryStore())
    server = three_tools(store=counted, **options)
    used = set()
    for tool in ("plain", "destructive", "harmless"):
        counted.operations.clear()
        state = (await call(server, tool))["requestState"]
        await call(server, tool, state=state, responses={"answer": YES})
        if counted.operations:
            used.add(tool)
    assert used == expected


def low_level(list_tools: Any) -> tuple[Server[Any], CountingStore]:
    """A server that lists its tools by this handler and asks in each, and its store."""

    async def call_tool(ctx: Any, params: Any) -> CallToolResult:
        answer = await ctx.session.elicit_form("Sure?", Ok.model_json_schema())
        return CallToolResult(content=[TextContent(type="text", text=answer.action)])

    server: Server[Any] = Server("low", on_list_tools=list_tools, on_call_tool=call_tool)
    counted = CountingStore(MemoryStore())
    adapt(server, keys=[KEY], store=counted)
    return server, counted


async def test_a_low_level_server_tells_its_annotations_too() -> None:
    async def list_tools(ctx: Any, params: Any) -> ListToolsResult:
        page = params.cursor or "0"
        tool = Tool(name=f"tool-{page}", input_schema={"type": "object"}, annotations=DESTRUCTIVE)
        return ListToolsResult(tools=[tool], next_cursor="1" if page == "0" else None)

    server, counted = low_level(list_tools)
    state = (await call(server, "tool-1"))["requestState"]
    await call(server, "tool-1", state=state, responses={"answer": YES})
    assert counted.operations == [("swap", "state")] * 2
    counted.operations.clear()
    await call(server, "tool-2")
    assert counted.operations == []


async def test_a_tool_whose_annotations_can_not_be_read_counts_as_destructive(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def list_tools(ctx: Any, params: Any) -> ListToolsResult:
        raise RuntimeError("no list today")

    server, counted = low_level(list_tools)
    state = (await call(server, "tool"))["requestState"]
    await call(server, "tool", state=state, responses={"answer": YES})
    assert counted.operations == [("swap", "state")] * 2
    assert "so tool counts as destructive" in caplog.text


async def test_without_a_store_memory_has_to_do_and_the_log_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "mrtr"):
        server = three_tools()
        for _ in range(2):
            state = (await call(server, "destructive"))["requestState"]
            for _ in range(2):
                result = await call(server, "destructive", state=state, responses={"answer": YES})
                assert result["content"][0]["text"] == "accept"
    said = [
        record.getMessage() for record in caplog.records if "memory of this process" in record.getMessage()
    ]
    assert len(said) == 1


async def test_a_handler_in_step_form_is_redeemed_once_as_well(store: Store) -> None:
    server = MCPServer("steps")
    booked: list[str] = []

    @server.tool(annotations=DESTRUCTIVE)
    async def book(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            return InputRequiredResult.model_validate(
                {"inputRequests": {"sure": SURE}, "requestState": "step 1"}
            )
        assert ctx.request_state == "step 1"
        booked.append("room")
        return f"booked, number {len(booked)}"

    adapt(server, keys=[KEY], store=store)
    state = (await call(server, "book"))["requestState"]
    for _ in range(2):
        result = await call(server, "book", state=state, responses={"sure": YES})
        assert result["content"][0]["text"] == "booked, number 1"
    assert booked == ["room"]


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(
        ValueError, match="single_use is True, False, 'destructive' or a list of names, not 'delete'"
    ):
        adapt(MCPServer("a"), single_use="delete")
    with pytest.raises(ValueError, match="'nowhere' is no store"):
        adapt(MCPServer("a"), store="nowhere")
