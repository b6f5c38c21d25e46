"""Whatever is emitted, no state, no answer and no question is in it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Context as FastContext
from fastmcp import FastMCP
from fastmcp.client import Client as FastClient
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequestParams, ElicitResult
from pydantic import BaseModel

from adapter.check.serving import served
from adapter.rounds import KEY, YES, always, call, in_turn, play_tool
from adapter.servers import Name, Ok, serving
from adapter.telemetry.emitted import Emitted
from mrtr_adapter import adapt, memo, on_commit, once
from mrtr_adapter.engine import effects
from mrtr_adapter.serving.http import application

pytestmark = pytest.mark.anyio

ASKED = "asked-tulip-4711"
ANSWERED = "answered-peony-0815"


def named(name: str = ANSWERED) -> dict[str, Any]:
    return {"action": "accept", "content": {"name": name}}


def assert_silent(out: Emitted, *states: str) -> None:
    everything = out.everything
    assert len(everything) > 1000
    for secret in (ASKED, ANSWERED, *states):
        assert secret not in everything


@pytest.fixture(autouse=True)
def _nothing_reported_yet() -> None:
    effects._reported.clear()


async def test_a_whole_flow_with_effects_recordings_and_answers_that_break_the_schema(
    out: Emitted, tmp_path: Path
) -> None:
    async def handler(ctx: Context) -> str:
        first = await ctx.elicit(f"{ASKED} one?", Name)
        name = first.data.name if first.action == "accept" else ""
        (tmp_path / name).write_text(name)
        await memo(f"lookup-{name}"[:100], lambda: name)
        second = await ctx.elicit(f"{ASKED} two?", Name)
        on_commit(_fail, name)
        return second.action

    answers = in_turn(named(), {"action": "accept", "content": {"name": 5, "secret": ANSWERED}}, named())
    played = await play_tool(serving(handler), "tool", answers)
    assert len(played.states) == 3
    assert any("before it had its answer" in line for line in out.lines)
    assert any("breaks the requested schema" in line for line in out.lines)
    assert any("on_commit: _fail failed" in line and "in _fail" in line for line in out.lines)
    assert_silent(out, *played.states)


def _fail(text: str) -> None:
    raise ValueError(f"can't handle {text}")


async def test_a_failing_once(out: Emitted) -> None:
    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit(f"{ASKED}?", Name)
        try:
            await once("charge", _fail, answer.data.name if answer.action == "accept" else "")
        except Exception:
            return "failed"
        return "charged"

    played = await play_tool(serving(handler), "tool", always(named()))
    assert played.text == "failed"
    assert any("once('charge') failed" in line and "in _fail" in line for line in out.lines)
    assert_silent(out, *played.states)


async def test_a_divergence_shows_its_difference_to_the_client_only(out: Emitted) -> None:
    runs = iter(range(100))

    async def handler(ctx: Context) -> str:
        return (await ctx.elicit(f"{ASKED} at {next(runs)}?", Ok)).action

    with pytest.raises(MCPError) as caught:
        await play_tool(serving(handler), "tool", always(YES))
    assert ASKED in caught.value.data["was"]
    assert_silent(out)


async def test_a_divergence_at_a_client_that_traces_as_well(out: Emitted) -> None:
    runs = iter(range(100))
    server = MCPServer("test")

    async def handler(ctx: Context) -> str:
        return (await ctx.elicit(f"{ASKED} at {next(runs)}?", Ok)).action

    async def elicit(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content={"ok": True})

    server.add_tool(handler, name="tool")
    with served(application(adapt(server, keys=[KEY]), "127.0.0.1")) as url:
        async with Client(f"{url}/mcp", elicitation_callback=elicit) as client:
            with pytest.raises(MCPError, match="asks a different question each time"):
                await client.call_tool("tool", {})
    assert any(span.name.startswith("MCP send") for span in out.spans)
    assert_silent(out)


@pytest.mark.parametrize("bound", [{"max_state_bytes": 1024}, {"max_entries": 1}, {"max_rounds": 1}], ids=str)
async def test_a_flow_past_a_bound(out: Emitted, bound: dict[str, int]) -> None:
    async def handler(ctx: Context) -> str:
        await ctx.elicit(f"{ASKED} one?", Name)
        await ctx.elicit(f"{ASKED} two?", Name)
        return (await ctx.elicit(f"{ASKED} three?", Name)).action

    long = named(ANSWERED + "x" * 600)
    with pytest.raises(MCPError):
        await play_tool(serving(handler, **bound), "tool", always(long))
    assert_silent(out)


async def test_effects_that_are_refused_or_stopped(out: Emitted, tmp_path: Path) -> None:
    async def handler(ctx: Context) -> str:
        answer = await ctx.elicit(f"{ASKED}?", Name)
        (tmp_path / (answer.data.name if answer.action == "accept" else "")).write_text("x")
        return (await ctx.elicit("Really?", Ok)).action

    async def swallowing(ctx: Context) -> str:
        try:
            await ctx.elicit(f"{ASKED}?", Ok)
        finally:
            (tmp_path / ANSWERED).write_text("unconfirmed")

    with pytest.raises(MCPError) as caught:
        await play_tool(serving(handler, on_effect="refuse"), "tool", always(named()))
    assert ANSWERED in str(caught.value.data["effects"])
    await call(serving(swallowing)(), "tool")
    assert any("went on after it had asked" in line for line in out.lines)
    assert_silent(out)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_a_question_that_the_protocol_can_not_carry(out: Emitted) -> None:
    from mcp_types import ElicitRequest, ElicitRequestFormParams

    async def handler(ctx: Context) -> str:
        schema = {"type": "object", "properties": {"x": {"type": "string", "title": ASKED}}}
        params = ElicitRequestFormParams.model_construct(
            message=[ASKED], requested_schema=schema, mode="form"
        )  # type: ignore[arg-type]
        await ctx.session.send_request(ElicitRequest.model_construct(params=params), ElicitResult)  # type: ignore[arg-type]
        return "done"

    with pytest.raises(MCPError, match="can't carry"):
        await call(serving(handler)(), "tool")
    assert any("asks what 2026-07-28 can't carry" in line for line in out.lines)
    assert_silent(out)


async def test_a_malformed_answer_a_refused_state_and_a_missing_capability(out: Emitted) -> None:
    async def handler(ctx: Context) -> str:
        return (await ctx.elicit(f"{ASKED}?", Name)).action

    make = serving(handler)
    state = (await call(make(), "tool"))["requestState"]
    for responses in ({"answer": ANSWERED}, {"answer": {"action": ANSWERED}}):
        with pytest.raises(MCPError):
            await call(make(), "tool", state=state, responses=responses)
    with pytest.raises(MCPError):
        await call(make(), "tool", state=state[:-8] + "AAAAAAAA", responses={"answer": named()})
    with pytest.raises(MCPError):
        await call(make(), "tool", capabilities={})
    assert_silent(out, state)


class Choice(BaseModel):
    name: str


async def test_fastmcp(out: Emitted) -> None:
    server = FastMCP("test")

    @server.tool
    async def tool(ctx: FastContext) -> str:
        first = await ctx.elicit(f"{ASKED} one?", Choice)
        second = await ctx.elicit(f"{ASKED} two?", Choice)
        return f"{first.action} {second.action}"

    runs = iter(range(100))

    @server.tool
    async def restless(ctx: FastContext) -> str:
        return (await ctx.elicit(f"{ASKED} {next(runs)}?", Choice)).action

    async def elicit(message: str, kind: Any, params: Any, context: Any) -> Any:
        return {"name": ANSWERED}

    logging.getLogger("mrtr").setLevel(logging.DEBUG)
    async with FastClient(adapt(server, keys=[KEY]), elicitation_handler=elicit) as client:
        result = await client.call_tool("tool")
        assert result.data == "accept accept"
        with pytest.raises(Exception, match="asks a different question each time"):
            await client.call_tool("restless")
    assert [told["outcome"] for told in out.told[:3]] == ["input_required", "input_required", "complete"]
    suspended = [
        span for span in out.spans if (span.attributes or {}).get("mrtr.outcome") == "input_required"
    ]
    assert suspended
    assert all(span.status.is_unset or span.status.is_ok for span in suspended)
    assert_silent(out)
