"""Nothing that a FastMCP handler, middleware or sampling tool does turns a question into a yes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.dependencies import CurrentContext, Depends
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import Middleware
from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

from adapter.fastmcp.servers import TRUE, adapted, calls, says, serving
from adapter.rounds import NO, always, by_key, call, in_turn, play_tool, send

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]


async def swallowing(ctx: Context) -> str:
    """Takes any failure to ask for a yes."""
    try:
        sure = await ctx.elicit("Drop the table?", bool)
        if sure.action != "accept" or not sure.data:
            return "kept"
    except Exception:
        return "dropped unconfirmed"
    return "dropped"


async def returning_in_finally(ctx: Context) -> str:
    answer = None
    try:
        answer = await ctx.elicit("Drop the table?", bool)
    finally:
        return "dropped" if answer is None or answer.action == "accept" else "kept"  # noqa: B012


async def falling_back(ctx: Context) -> str:
    try:
        return str((await ctx.sample("Is it safe?")).text)
    except Exception:
        return "assumed safe"


async def falling_back_with_tools(ctx: Context) -> str:
    try:
        return str((await ctx.sample("Is it safe?", result_type=bool)).result)
    except Exception:
        return "assumed safe"


async def anywhere(ctx: Context) -> str:
    try:
        return str(len(await ctx.list_roots()))
    except Exception:
        return "assumed everywhere"


async def consenting(ctx: Context) -> str:
    try:
        return (await ctx.elicit("Fine?", None)).action
    except Exception:
        return "assumed fine"


@pytest.mark.parametrize("handler", [swallowing, returning_in_finally])
async def test_a_declined_question_is_never_taken_for_a_yes(handler: Any) -> None:
    played = await play_tool(serving(handler), handler.__name__, always(NO))
    assert played.asked == ["Drop the table?"]
    assert played.text == "kept"


@pytest.mark.parametrize(
    ("handler", "required"),
    [
        (swallowing, {"elicitation": {"form": {}}}),
        (returning_in_finally, {"elicitation": {"form": {}}}),
        (consenting, {"elicitation": {"form": {}}}),
        (falling_back, {"sampling": {}}),
        (falling_back_with_tools, {"sampling": {"tools": {}}}),
        (anywhere, {"roots": {}}),
    ],
)
async def test_what_the_client_did_not_declare_ends_the_call(handler: Any, required: dict[str, Any]) -> None:
    with pytest.raises(MCPError) as refused:
        await call(serving(handler)(), handler.__name__, capabilities={})
    assert refused.value.code == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert refused.value.error.data == {"requiredCapabilities": required}


@pytest.mark.parametrize(
    ("capabilities", "tools", "said"),
    [
        ({}, False, "Client does not support sampling"),
        (
            {"sampling": {}},
            True,
            "Client does not support sampling with tools. "
            "The client must advertise the sampling.tools capability.",
        ),
    ],
)
async def test_an_owner_who_wants_it_raised_gets_the_exception_of_fastmcp_3(
    capabilities: dict[str, Any], tools: bool, said: str
) -> None:
    async def probe(ctx: Context) -> str:
        try:
            await ctx.sample("x", tools=[len_of] if tools else None)
        except ValueError as error:
            return str(error)
        return "sampled"

    make = serving(probe, on_missing_capability="raise")
    assert (await call(make(), "probe", capabilities=capabilities))["content"][0]["text"] == said


async def len_of(text: str) -> int:
    return len(text)


async def test_a_question_inside_a_sampling_tool_is_put_and_its_answer_holds() -> None:
    dropped: list[str] = []

    async def drop(table: str) -> str:
        """Drop a table."""
        try:
            sure = await get_context().elicit(f"Drop {table}?", bool)
        except Exception:
            dropped.append(table)
            return "dropped unconfirmed"
        if sure.action == "accept" and sure.data:
            dropped.append(table)
        return sure.action

    async def agent(ctx: Context) -> str:
        return str((await ctx.sample("Clean up", tools=[drop], tool_concurrency=0)).text)

    wanted = calls(("drop", {"table": "a"}), ("drop", {"table": "b"}))
    played = await play_tool(serving(agent), "agent", in_turn(wanted, TRUE, NO, says("done")))
    assert [sorted(asked) for asked in played.rounds] == [["sampling"], ["sure", "sure_2"], ["sampling"]]
    assert set(dropped) == {"a"}
    told = played.rounds[2]["sampling"]["params"]["messages"][-1]["content"]
    assert [result["content"][0]["text"] for result in told] == ["accept", "decline"]


async def test_a_middleware_that_turns_errors_around_can_not_undo_a_refusal() -> None:
    class Soothing(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            try:
                return await call_next(context)
            except BaseException:
                return await call_next(context)

    def make() -> Any:
        server = FastMCP("test", middleware=[Soothing()])
        server.tool(swallowing)
        return adapted(server)

    played = await play_tool(make, "swallowing", always(NO))
    assert played.text == "kept"
    with pytest.raises(MCPError):
        await call(make(), "swallowing", capabilities={})


async def test_a_dependency_may_ask() -> None:
    async def consent(ctx: Context = CurrentContext()) -> bool:  # noqa: B008
        sure = await ctx.elicit("Drop it?", bool)
        return sure.action == "accept" and sure.data

    async def drop(sure: bool = Depends(consent)) -> str:
        return "dropped" if sure else "kept"

    assert (await play_tool(serving(drop), "drop", always(NO))).text == "kept"
    assert (await play_tool(serving(drop), "drop", always(TRUE))).text == "dropped"


async def test_where_nothing_can_be_asked_the_error_says_so() -> None:
    said: list[str] = []

    class Curious(Middleware):
        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            try:
                await context.fastmcp_context.elicit("Who are you?", str)
            except MCPError as error:
                said.append(error.message)
            return await call_next(context)

    await send(adapted(FastMCP("test", middleware=[Curious()])), "tools/list", {})
    assert "elicitation/create was sent from test_fail_closed.py" in said[0]
    assert "while serving tools/list" in said[0]


async def test_a_task_that_outlives_its_call_can_not_ask() -> None:
    said: list[str] = []

    async def start(ctx: Context) -> str:
        async def later() -> None:
            await asyncio.sleep(0.01)
            try:
                await ctx.elicit("Still there?", bool)
            except MCPError as error:
                said.append(error.message)

        tasks.append(asyncio.create_task(later()))
        return "started"

    tasks: list[asyncio.Task[None]] = []
    assert (await call(serving(start)(), "start"))["content"][0]["text"] == "started"
    await asyncio.gather(*tasks)
    assert "a background task can't ask the client" in said[0]


async def test_a_tool_error_is_a_result_as_ever() -> None:
    async def refuse(ctx: Context) -> str:
        sure = await ctx.elicit("Sure?", bool)
        raise ToolError(f"no: {sure.action}")

    played = await play_tool(serving(refuse), "refuse", by_key(sure=NO))
    assert played.result["isError"]
    assert played.text == "no: decline"
