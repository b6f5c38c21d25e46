"""Re-execution is visible on spans and in the log, and neither ever holds a question, an answer or a state."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from adapter.rounds import YES, always, call, in_turn, play_tool
from adapter.servers import Name, Ok, serving

pytestmark = pytest.mark.anyio

EXPORTED = InMemorySpanExporter()
SECRET = "tulip-4711"


@pytest.fixture(scope="module", autouse=True)
def _exporting() -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(EXPORTED))
    trace.set_tracer_provider(provider)


@pytest.fixture(autouse=True)
def _empty() -> None:
    EXPORTED.clear()


def spans() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for span in EXPORTED.get_finished_spans():
        kept = {
            k.removeprefix("mrtr."): v for k, v in (span.attributes or {}).items() if k.startswith("mrtr.")
        }
        found += [kept] if kept else []
    return found


def failed(span: ReadableSpan) -> bool:
    return not span.status.is_ok and not span.status.is_unset


async def test_the_rounds_of_a_flow_are_on_their_spans(tmp_path: Path) -> None:
    async def handler(ctx: Context) -> str:
        (tmp_path / "file").write_text("x")
        await ctx.elicit("First?", Ok)
        await ctx.elicit("Second?", Ok)
        return "done"

    await play_tool(serving(handler), "tool", always(YES))
    first, second, third = spans()
    assert {first["flow"]} == {second["flow"]} == {third["flow"]}
    assert [s["round"] for s in (first, second, third)] == [1, 2, 3]
    assert [s["outcome"] for s in (first, second, third)] == ["input_required", "input_required", "complete"]
    assert [s["asks"] for s in (first, second, third)] == [1, 1, 0]
    assert [s["replayed"] for s in (first, second, third)] == [0, 1, 2]
    assert [s["effects"] for s in (first, second, third)] == [1, 1, 1]
    assert first["state_bytes"] > 100
    assert not any(failed(span) for span in EXPORTED.get_finished_spans())


async def test_a_call_that_never_asks_leaves_nothing() -> None:
    async def handler(ctx: Context) -> str:
        return "done"

    await call(serving(handler)(), "tool")
    assert spans() == []


async def test_a_refused_call_says_so() -> None:
    async def handler(ctx: Context) -> str:
        return (await ctx.elicit("Sure?", Ok)).action

    with pytest.raises(MCPError):
        await call(serving(handler)(), "tool", capabilities={})
    (span,) = spans()
    assert span["outcome"] == "refused"


async def test_no_secret_is_in_any_span_or_log_line(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(ctx: Context) -> str:
        first = await ctx.elicit(f"Is it {SECRET}?", Name)
        second = await ctx.elicit("And?", Name)
        return f"{first.action} {second.action}"

    answers = in_turn(
        {"action": "accept", "content": {"name": SECRET}},
        {"action": "accept", "content": {"name": 5, "secret": SECRET}},
        {"action": "accept", "content": {"name": SECRET}},
    )
    with caplog.at_level(logging.DEBUG, "mrtr"):
        played = await play_tool(serving(handler), "tool", answers)
    told = [record.getMessage() for record in caplog.records if record.name == "mrtr"]
    assert any("round 1 of tools/call tool" in line for line in told)
    everything = "\n".join(told) + "\n".join(span.to_json() for span in EXPORTED.get_finished_spans())
    assert SECRET not in everything
    assert not any(state in everything for state in played.states)


async def test_spans_that_a_handler_opens_are_new_ones_in_each_round() -> None:
    async def handler(ctx: Context) -> str:
        with trace.get_tracer("handler").start_as_current_span("work"):
            return (await ctx.elicit("Sure?", Ok)).action

    await play_tool(serving(handler), "tool", always(YES))
    ids = [s.context.span_id for s in EXPORTED.get_finished_spans() if s.name == "work" and s.context]
    assert len(ids) == 2
    assert len(set(ids)) == 2
