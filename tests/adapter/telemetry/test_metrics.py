"""The metrics of flows: what is counted, in which unit, and under which attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

from adapter.rounds import KEY, YES, always, call, play, play_tool
from adapter.servers import Ok, serving
from adapter.telemetry.emitted import Emitted, Point
from mrtr_adapter import adapt
from mrtr_adapter.engine.suspension import StateLost
from mrtr_adapter.telemetry import names, refusals
from mrtr_adapter.telemetry.held import held, released

pytestmark = pytest.mark.anyio

TARGET = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "tool"}


async def twice(ctx: Context) -> str:
    await ctx.elicit("First?", Ok)
    await ctx.elicit("Second?", Ok)
    return "done"


def by_outcome(points: list[Point]) -> dict[str, Point]:
    return {str(point.attributes["mrtr.outcome"]): point for point in points}


async def test_rounds_and_durations_of_requests_and_of_the_flow(out: Emitted) -> None:
    await play_tool(serving(twice), "tool", always(YES))
    (rounds,) = out.points("mrtr.flow.rounds")
    assert rounds == Point({**TARGET, "mrtr.outcome": "complete"}, 3, 1)
    requests = by_outcome(out.points("mrtr.request.duration"))
    assert {outcome: point.count for outcome, point in requests.items()} == {
        "input_required": 2,
        "complete": 1,
    }
    (flow,) = out.points("mrtr.flow.duration")
    assert flow.count == 1
    assert flow.attributes == {**TARGET, "mrtr.outcome": "complete"}


async def test_the_time_that_people_take_is_in_the_flow_and_not_in_its_requests(
    out: Emitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = serving(twice)
    state = (await call(make(), "tool"))["requestState"]
    import time

    now = time.time
    monkeypatch.setattr("mrtr_adapter.telemetry.rounds.time.time", lambda: now() + 300)
    second = await call(make(), "tool", state=state, responses={"answer": YES})
    await call(make(), "tool", state=second["requestState"], responses={"answer": YES})
    (flow,) = out.points("mrtr.flow.duration")
    assert flow.value >= 300
    assert sum(point.value for point in out.points("mrtr.request.duration")) < 300


async def test_replays_are_the_runs_after_the_first(out: Emitted) -> None:
    await play_tool(serving(twice), "tool", always(YES))
    assert out.points("mrtr.replays") == [Point(TARGET, 2)]


async def test_effects_are_counted_as_far_as_they_were_seen(out: Emitted, tmp_path: Path) -> None:
    async def handler(ctx: Context) -> str:
        (tmp_path / "file").write_text("x")
        return (await ctx.elicit("Sure?", Ok)).action

    await play_tool(serving(handler), "tool", always(YES))
    assert out.points("mrtr.effects") == [Point(TARGET, 2)]


async def test_a_call_that_never_asks_is_not_counted(out: Emitted) -> None:
    async def handler(ctx: Context) -> str:
        return "done"

    await call(serving(handler)(), "tool")
    assert not any(out.points(metric.name) for metric in names.METRICS)


async def test_the_uri_of_a_resource_is_no_attribute(out: Emitted) -> None:
    def make() -> MCPServer:
        server = MCPServer("test")

        @server.resource("file://{name}")
        async def file(name: str, ctx: Context) -> str:
            return (await ctx.elicit("Sure?", Ok)).action

        return adapt(server, keys=[KEY])

    await play(make, "resources/read", {"uri": "file://one"}, always(YES))
    assert out.points("mrtr.replays") == [Point({"mcp.method.name": "resources/read"}, 1)]


REFUSED: dict[str, dict[str, Any]] = {
    "malformed": {"state": "no state at all"},
    "seal": {"tampered": True},
    "request": {"arguments": {"other": 1}},
}


@pytest.mark.parametrize("reason", REFUSED)
async def test_a_refused_state_is_counted_by_its_reason(out: Emitted, reason: str) -> None:
    make = serving(twice)
    state = (await call(make(), "tool"))["requestState"]
    how = REFUSED[reason]
    if how.get("tampered"):
        middle = len(state) * 3 // 4
        state = state[:middle] + ("A" if state[middle] != "A" else "B") + state[middle + 1 :]
    with pytest.raises(MCPError):
        await call(
            make(), "tool", how.get("arguments"), state=how.get("state", state), responses={"answer": YES}
        )
    attributes = {"mcp.method.name": "tools/call", "mrtr.reason": reason}
    assert out.points("mrtr.state.refused") == [Point(attributes, 1)]


async def test_another_key_another_service_and_a_late_state_are_told_apart(out: Emitted) -> None:
    state = (await call(serving(twice)(), "tool"))["requestState"]
    for options in ({"keys": ["another-" + KEY]}, {"audience": "another"}):
        with pytest.raises(MCPError):
            await call(serving(twice, **options)(), "tool", state=state, responses={"answer": YES})
    late = (await call(serving(twice, ttl=1e-9)(), "tool"))["requestState"]
    with pytest.raises(MCPError):
        await call(serving(twice)(), "tool", state=late, responses={"answer": YES})
    reasons = {point.attributes["mrtr.reason"] for point in out.points("mrtr.state.refused")}
    assert reasons == {"unknown_key", "audience", "expired"}


async def test_a_state_that_begins_anew_is_counted_as_refused(out: Emitted) -> None:
    make = serving(twice, on_invalid_state="restart")
    result = await call(make(), "tool", state="nonsense", responses={"answer": YES})
    assert result["resultType"] == "input_required"
    assert [point.attributes["mrtr.reason"] for point in out.points("mrtr.state.refused")] == ["malformed"]


def test_every_reason_is_one_of_the_listed_words(out: Emitted) -> None:
    assert set(refusals._WORDS.values()) <= set(names.REASONS)
    refusals.by_journal("tools/call", StateLost("flow 17: gone"))
    refusals.at_boundary("tools/call", None)
    reasons = {point.attributes["mrtr.reason"] for point in out.points("mrtr.state.refused")}
    assert reasons == {"lost", "other"}


def test_held_calls_go_up_and_down(out: Emitted) -> None:
    held()
    held()
    assert out.points("mrtr.calls.held") == [Point({}, 2)]
    released()
    assert out.points("mrtr.calls.held") == [Point({}, 1)]
    released()
