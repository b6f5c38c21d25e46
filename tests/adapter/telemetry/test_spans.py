"""A flow can be followed over the spans of its requests; suspending is no error on any of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan

from adapter.rounds import NO, YES, always, call, play_tool
from adapter.servers import Ok, serving
from adapter.telemetry.emitted import Emitted

pytestmark = pytest.mark.anyio


def is_error(span: ReadableSpan) -> bool:
    return not span.status.is_ok and not span.status.is_unset


def servers(out: Emitted) -> list[ReadableSpan]:
    return [span for span in out.spans if span.name == "tools/call tool"]


async def twice(ctx: Context) -> str:
    await ctx.elicit("First?", Ok)
    await ctx.elicit("Second?", Ok)
    return "done"


async def test_the_rounds_of_a_flow_are_on_their_spans(out: Emitted, tmp_path: Path) -> None:
    async def handler(ctx: Context) -> str:
        (tmp_path / "file").write_text("x")
        return await twice(ctx)

    await play_tool(serving(handler), "tool", always(YES))
    rounds = out.told
    assert len({told["flow.id"] for told in rounds}) == 1
    assert [told["round"] for told in rounds] == [1, 2, 3]
    assert [told["outcome"] for told in rounds] == ["input_required", "input_required", "complete"]
    assert [told["asks"] for told in rounds] == [1, 1, 0]
    assert [told["replayed"] for told in rounds] == [0, 1, 2]
    assert [told["effects"] for told in rounds] == [1, 1, 1]
    assert rounds[0]["state.size"] > 100
    assert rounds[2]["state.size"] == 0


async def test_a_suspension_is_no_error_on_any_span(out: Emitted) -> None:
    async def handler(ctx: Context) -> str:
        with trace.get_tracer("handler").start_as_current_span("work"):
            return await twice(ctx)

    await play_tool(serving(handler), "tool", always(NO))
    assert len(out.spans) > 6
    assert not any(is_error(span) for span in out.spans)
    assert not any(span.events for span in out.spans)


async def test_later_rounds_link_to_the_first_over_instances(out: Emitted) -> None:
    await play_tool(serving(twice), "tool", always(YES))
    first, second, third = servers(out)
    assert len({span.context.trace_id for span in (first, second, third)}) == 3
    assert not first.links
    for later in (second, third):
        (link,) = later.links
        assert (link.context.trace_id, link.context.span_id) == (
            first.context.trace_id,
            first.context.span_id,
        )


async def test_the_flow_has_a_span_of_its_own_from_its_first_request_to_its_last(out: Emitted) -> None:
    await play_tool(serving(twice), "tool", always(YES))
    first, _, last = servers(out)
    (flow,) = out.flows
    assert flow.name == "mrtr.flow tools/call tool"
    assert flow.parent is not None
    assert flow.parent.span_id == first.context.span_id
    assert [link.context.span_id for link in flow.links] == [last.context.span_id]
    begin, end = first.start_time or 0, last.end_time or 0
    assert abs((flow.start_time or 0) - begin) < 1e9 * 60  # clocks are read twice, in milliseconds
    assert (flow.start_time or 0) < (flow.end_time or 0) <= end
    attributes = dict(flow.attributes or {})
    assert attributes.pop("mrtr.flow.id") == out.told[0]["flow.id"]
    assert attributes == {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "tool",
        "mrtr.round": 3,
        "mrtr.outcome": "complete",
    }


async def test_a_flow_whose_first_round_nobody_recorded_is_linked_to_nothing(
    out: Emitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = serving(twice)
    with trace.use_span(trace.INVALID_SPAN):
        monkeypatch.setattr("mcp.server._otel.OpenTelemetryMiddleware.__call__", _untraced)
        state = (await call(make(), "tool"))["requestState"]
    monkeypatch.undo()
    await call(make(), "tool", state=state, responses={"answer": YES})
    assert not servers(out)[0].links


async def _untraced(self: Any, ctx: Any, call_next: Any) -> Any:
    return await call_next(ctx)


async def test_a_call_that_never_asks_leaves_nothing(out: Emitted) -> None:
    async def handler(ctx: Context) -> str:
        return "done"

    await call(serving(handler)(), "tool")
    assert servers(out)
    assert out.told == []
    assert out.flows == []


async def test_a_refused_call_says_so_and_why(out: Emitted) -> None:
    with pytest.raises(MCPError):
        await call(serving(twice)(), "tool", capabilities={})
    (told,) = out.told
    assert (told["outcome"], told["reason"]) == ("refused", "missing_capability")
    (span,) = servers(out)
    assert is_error(span)


async def test_a_flow_that_diverges_says_so(out: Emitted) -> None:
    runs = iter(range(100))

    async def handler(ctx: Context) -> str:
        return (await ctx.elicit(f"At {next(runs)}?", Ok)).action

    with pytest.raises(MCPError):
        await play_tool(serving(handler), "tool", always(YES))
    assert [told["outcome"] for told in out.told] == ["input_required"] * 3 + ["diverged"]
    (flow,) = out.flows
    assert is_error(flow)


async def test_a_state_that_is_refused_says_why(out: Emitted) -> None:
    make = serving(twice)
    state = (await call(make(), "tool"))["requestState"]
    with pytest.raises(MCPError):
        await call(make(), "tool", {"other": 1}, state=state, responses={"answer": YES})
    told = out.told[-1]
    assert told == {"outcome": "refused", "reason": "request"}


async def test_spans_that_a_handler_opens_are_new_ones_in_each_round(out: Emitted) -> None:
    async def handler(ctx: Context) -> str:
        with trace.get_tracer("handler").start_as_current_span("work"):
            return (await ctx.elicit("Sure?", Ok)).action

    await play_tool(serving(handler), "tool", always(YES))
    ids = [span.context.span_id for span in out.spans if span.name == "work" and span.context]
    assert len(ids) == 2
    assert len(set(ids)) == 2
