"""Exchanges with the client's model: tools, results of a type and single turns, a round for each turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cases import drive
from mrtr_codemod.rewrite import support
from mrtr_codemod.rewrite.asks import Framework

from .fleet import instance
from .rewriting import rewritten

SERVER = """\
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_context
from pydantic import BaseModel

mcp = FastMCP("garden")
EFFECTS: list[str] = []


class Plan(BaseModel):
    bed: str
    litres: int


def soil(bed: str) -> int:
    EFFECTS.append(f"soil {bed}")
    if bed == "west":
        raise ToolError("no such bed")
    return 1 // len(bed) + 12


async def water(bed: str, litres: int) -> str:
    EFFECTS.append(f"water {bed} {litres}")
    return f"{bed} got {litres}"


async def asks(bed: str) -> str:
    return (await get_context().elicit(f"{bed}?", response_type=bool)).action


@mcp.tool
async def tend(wish: str, ctx: Context) -> str:
    EFFECTS.append("begin")
    done = await ctx.sample(f"Tend: {wish}", tools=[soil, water])
    EFFECTS.append("end")
    return f"{done.text} {len(done.history)}"


@mcp.tool
async def step(wish: str, ctx: Context) -> str:
    turn = await ctx.sample_step(["Step.", wish], tools=[soil], tool_choice="required")
    return f"{turn.is_tool_use} {[c.name for c in turn.tool_calls]} {turn.text} {len(turn.history)}"


@mcp.tool
async def plan(wish: str, ctx: Context) -> str:
    made = await ctx.sample(f"Plan: {wish}", tools=[soil], result_type=Plan)
    sure = await ctx.elicit(f"Water {made.result.bed}?", response_type=bool)
    return f"{made.result.litres} {sure.action} {made.text}"
"""


def call(*calls: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": i, "name": name, "input": given} for i, name, given in calls]
    return {"role": "assistant", "model": "tiny", "stopReason": "toolUse", "content": blocks}


def text(said: str) -> dict[str, Any]:
    return {"role": "assistant", "model": "tiny", "content": {"type": "text", "text": said}}


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Plays a script on the rewritten server, each round on a fresh copy of it."""
    for name in support.modules(Framework.FASTMCP, {"Steps", "sampled"}):
        (tmp_path / f"{name}.py").write_text(support.source(name))
    result = rewritten(SERVER)
    assert {v.name: v.rule for v in result.handlers} == {"tend": "", "step": "", "plan": ""}
    path = tmp_path / "server.py"
    path.write_text(result.after)
    monkeypatch.setattr(drive, "load", instance)

    def played(tool: str, *answers: tuple[str, dict[str, Any]]) -> dict[str, Any]:
        script = {"tool": tool, "args": {"wish": "green"}, "answers": [list(a) for a in answers]}
        return drive.run(drive.load(path), drive.modern, path, script, False)

    return played


def test_the_tools_of_the_model_run_once_each(play: Any) -> None:
    got = play(
        "tend",
        ("Tend", call(("1", "soil", {"bed": "north"}), ("2", "soil", {"bed": "west"}))),
        (
            "Tend",
            call(("3", "water", {"bed": "north", "litres": 3}), ("4", "dig", {}), ("5", "soil", {"bed": ""})),
        ),
        ("Tend", text("Done.")),
    )
    assert got["out"]["content"] == ["Done. 6"]
    assert got["effects"] == ["begin", "soil north", "soil west", "water north 3", "soil ", "end"]


def test_a_single_turn_runs_its_tools_and_ends(play: Any) -> None:
    got = play("step", ("Step.", call(("1", "soil", {"bed": "north"}))))
    assert got["out"]["content"] == ["True ['soil'] None 4"]
    assert got["effects"] == ["soil north"]


def test_a_result_of_a_type_is_carried_to_the_next_question(play: Any) -> None:
    got = play(
        "plan",
        ("Plan", call(("1", "soil", {"bed": "north"}))),
        ("Plan", call(("2", "final_response", {"bed": "north"}))),
        ("Plan", text("I don't know.")),
        ("Plan", call(("3", "final_response", {"bed": "north", "litres": 7}))),
        ("Water north", {"action": "decline"}),
    )
    assert got["out"]["content"] == ['7 decline {"bed": "north", "litres": 7}']
    assert got["effects"] == ["soil north"]
    assert got["rounds"] == 6


def test_a_model_that_never_hands_in_its_result_ends_the_call(play: Any) -> None:
    got = play("plan", *[("Plan", text("Hm."))] * 4)
    assert "Expected structured output of type Plan" in got["out"]["content"][0]


@pytest.mark.parametrize(
    ("tools", "rule"),
    [
        ("[soil, asks]", "asking-tool"),
        ("TOOLS", "sampling-tools"),
        ("[lambda bed: bed]", "sampling-tools"),
        ("[print]", "sampling-tools"),
    ],
)
def test_tools_that_ask_or_may_leave_the_handler_alone(tools: str, rule: str) -> None:
    source = SERVER.replace("tools=[soil, water]", f"tools={tools}").replace(
        "EFFECTS: ", "TOOLS = []\nEFFECTS: "
    )
    found = {v.name: v.rule for v in rewritten(source).handlers}
    assert found == {"tend": rule, "step": "", "plan": ""}


def test_a_plain_sample_needs_no_helper() -> None:
    source = SERVER.replace("tools=[soil, water]", "max_tokens=9").replace(" {len(done.history)}", "")
    after = rewritten(source).after
    assert 'done = steps.sample("done")' in after


def test_a_history_that_is_looked_at_is_the_whole_one() -> None:
    after = rewritten(SERVER.replace("tools=[soil, water]", "max_tokens=9")).after
    assert 'done = await sampled(f"Tend: {wish}", max_tokens=9, steps=steps' in after
