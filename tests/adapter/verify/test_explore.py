"""`--explore` finds the branches of a server with no script at all, and tells which it has not come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapter.cli.commands import written
from adapter.verify.servers import mrtr
from mrtr_adapter.verify.cases import read_cases

BRANCHING = """
from pathlib import Path
from typing import Literal

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field

mcp = MCPServer("mail")
FOLDERS = {"spam": 3}


class Choice(BaseModel):
    mode: Literal["keep", "purge", "archive"] = "keep"
    sure: bool
    days: int = Field(ge=1, le=30)


@mcp.tool()
async def tidy(folder: str, ctx: Context) -> str:
    if folder not in FOLDERS:
        return "no such folder"
    choice = await ctx.elicit("How?", Choice)
    if choice.action == "decline":
        return "declined"
    if choice.action == "cancel":
        return "cancelled"
    if choice.data.mode == "purge":
        if not choice.data.sure:
            return "unsure"
        Path("purged").touch()
        return "purged"
    if choice.data.days == 30:
        return "a month"
    if choice.data.days == 17:
        return "never reached"
    return choice.data.mode


@mcp.tool()
async def idle() -> str:
    return "nothing is asked"
"""
UNREACHED = BRANCHING.splitlines().index('        return "never reached"') + 1


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("explored")
    file = written(folder, BRANCHING)
    found = folder / "found.json"
    ended = mrtr("verify", str(file), "--explore", "--format", "json", "--record", str(found))
    told: dict[str, Any] = json.loads(ended.out)
    return {**told, "status": ended.status, "file": file, "found": found}


def test_every_branch_that_a_schema_leads_to_is_compared(explored: dict[str, Any]) -> None:
    assert explored["status"] == 0, explored
    results = {case["runs"]["native"]["text"] for case in explored["cases"]}
    assert {
        *("no such folder", "declined", "cancelled", "purged", "a month", "keep", "archive"),
        "nothing is asked",
    } <= results
    assert len({case["name"] for case in explored["cases"]}) == len(explored["cases"])


def test_an_invalid_answer_is_asked_again(explored: dict[str, Any]) -> None:
    twice = [case for case in explored["cases"] if len(case["runs"]["adapted"]["questions"]) == 2]
    assert [case["runs"]["adapted"]["text"] for case in twice] == ["declined"]


def test_what_was_never_reached_is_told_by_line(explored: dict[str, Any]) -> None:
    reached = {each["function"]: each for each in explored["reached"]}
    assert UNREACHED in reached["tidy"]["missing_lines"]
    assert 0 < reached["tidy"]["branches"] < reached["tidy"]["of_branches"]
    assert reached["idle"]["lines"] == reached["idle"]["of_lines"]


def test_what_was_found_is_a_case_file_that_gives_the_same(explored: dict[str, Any], tmp_path: Path) -> None:
    cases = read_cases(explored["found"])
    assert [case.name for case in cases] == [case["name"] for case in explored["cases"]]
    chosen = [case.model_dump(mode="json", exclude_defaults=True) for case in cases[:3]]
    some = written(tmp_path, json.dumps({"cases": chosen}), "some.json")
    ended = mrtr("verify", str(explored["file"]), "--cases", str(some))
    assert (ended.status, ended.out.splitlines()[-1]) == (0, "3 cases: 3 equal.")


def test_exploring_is_bounded_and_the_same_each_time(tmp_path: Path) -> None:
    file = written(tmp_path, BRANCHING)
    first, second = (
        mrtr("verify", str(file), "--explore", "--tool", "tidy", "--max-cases", "4") for _ in range(2)
    )
    assert first == second
    assert first.status == 0
    lines = first.out.splitlines()
    assert lines[-1] == "4 cases: 4 equal."
    assert "  never entered: idle" in lines
    assert any(line.startswith("Reached: ") for line in lines)
    assert any(line.startswith("  tidy: ") and f"{UNREACHED}" in line for line in lines)


MOSTLY_SILENT = """
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field

mcp = MCPServer("mostly silent")


class Sure(BaseModel):
    sure: bool


@mcp.tool()
async def add(a: int, b: int) -> str:
    return str(a + b)


@mcp.tool()
async def find(text: str) -> str:
    return text[:1] or "nothing"


@mcp.tool()
async def code(digits: str = Field(pattern="^[0-9]{9}$")) -> str:
    return digits


@mcp.tool()
async def drop(ctx: Context) -> str:
    return (await ctx.elicit("Drop?", Sure)).action


@mcp.tool()
async def purge(ctx: Context) -> str:
    return (await ctx.elicit("Purge?", Sure)).action
"""


def test_a_low_bound_is_spent_on_the_tools_that_ask_and_the_rest_is_told(tmp_path: Path) -> None:
    file = str(written(tmp_path, MOSTLY_SILENT))
    ended = mrtr("verify", file, "--explore", "--max-cases", "3")
    assert ended.status == 0, ended.out + ended.err
    cases = [line.split()[1] for line in ended.out.splitlines() if line.startswith("equal")]
    assert cases == ["drop:", "purge:", "drop:"]
    told = ended.out[ended.out.index("Left out") :].splitlines()
    assert told[:4] == [
        "Left out",
        "  drop, purge: there is more to try: give a higher --max-cases",
        "  add, find: called, asked nothing, not compared",
        "  code: not called: no arguments were found that fit its schema; give it --cases",
    ]
    machine = json.loads(mrtr("verify", file, "--explore", "--max-cases", "3", "--format", "json").out)
    assert machine["left_out"] == {
        "unfinished": ["drop", "purge"],
        "silent": ["add", "find"],
        "uncalled": ["code"],
    }


ENDLESS = """
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("endless")


class Sure(BaseModel):
    sure: bool


@mcp.tool()
async def nag(ctx: Context) -> str:
    while (await ctx.elicit("Sure?", Sure)).action == "accept":
        pass
    return "done"
"""


def test_a_tool_that_asks_for_ever_does_not_keep_the_exploration(tmp_path: Path) -> None:
    ended = mrtr("verify", str(written(tmp_path, ENDLESS)), "--explore", "--max-cases", "6")
    assert ended.status == 0, ended.out + ended.err
    assert ended.out.splitlines()[-1] == "6 cases: 6 equal."
