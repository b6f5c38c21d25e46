"""A tool that `--replay` names and the old server does not have: said at the start, before anybody relies on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from adapter.cli.commands import mrtr
from gateway.behind import OLD_SERVER, Journal, replace, running, settings
from gateway.test_operations import hasty, served, with_script
from mrtr_adapter.gateway import named
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.lists import listed
from mrtr_adapter.gateway.policy import NONE, ReplayPolicy
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.serving.refusal import CannotServe

__all__ = ["hasty"]
pytestmark = pytest.mark.anyio

NO_PYA = (
    r"--replay names pya, but there is no such tool or prompt: did you mean pay\? There are .*look, .*pay, "
)


def naming(journal: Journal, *tools: str, how: str = "--steady") -> Settings:
    """For an old server, by default one whose list of tools does not change."""
    plain = settings(journal, replay=NONE, tools=tools)
    return replace(plain, behind=Command([sys.executable, str(OLD_SERVER), str(journal.path), how]))


@pytest.mark.parametrize("over", [(), ("--http", "127.0.0.1:0")])
def test_a_misspelt_name_is_refused_in_one_line(over: tuple[str, ...], journal: Journal) -> None:
    command = ("--", sys.executable, str(OLD_SERVER), str(journal.path), "--steady")
    ended = mrtr("wrap", *over, "--replay", "look,pya", *command)
    assert ended.status == 2
    assert ended.line.startswith(
        "mrtr wrap: --replay names pya, but there is no such tool or prompt: did you mean"
    )


async def test_what_is_named_rightly_is_served(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    shown_to_some, prompt, page = "pay", "letter", "file:///any/{page}"
    async with running(naming(journal, shown_to_some, prompt, page)) as gateway:
        with anyio.fail_after(60):
            while gateway.counts["sessions"] > 1:  # nothing is left of looking
                await anyio.sleep(0.05)
    assert "--replay" not in caplog.text


async def test_a_name_that_may_still_come_is_logged(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(naming(journal, "pya", how="--changing")):
        pass
    assert "--replay names pya" in caplog.text
    with pytest.raises(CannotServe, match=NO_PYA):
        async with running(naming(journal, "pya")):
            pass


async def test_names_that_can_not_be_looked_up_are_logged(
    journal: Journal, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, "_LIST_SECONDS", 0.2)
    async with running(naming(journal, "pya", how="--roots-everywhere")):
        pass
    assert "the names given to --replay can't be checked" in caplog.text


async def test_one_misspelt_name_among_several_servers_is_refused(journal: Journal) -> None:
    both = {"/good/mcp": naming(journal, "pay"), "/bad/mcp": naming(journal, "pya")}
    with pytest.raises(CannotServe, match=f"^/bad/mcp: {NO_PYA}"):
        async with served(both):
            pass


@pytest.mark.usefixtures("hasty")
async def test_a_server_that_starts_later_is_served_and_the_name_logged(
    journal: Journal, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = tmp_path / "later.py"
    late = replace(with_script(journal, script), replay=ReplayPolicy(NONE, ["pya"]))
    async with served({"/good/mcp": naming(journal), "/late/mcp": late}) as client:
        steady = OLD_SERVER.read_text().replace('"--steady" not in sys.argv[2:]', "False")
        script.write_text(steady)
        with anyio.fail_after(60):
            while (await client.get("/healthz")).json()["status"] != "ok":
                await anyio.sleep(0.05)
    assert "--replay names pya" in caplog.text


@pytest.mark.parametrize("entries", [None, 5, "text", [], [1, None, "pay", ["pay"]]])
async def test_what_is_no_list_of_tools_lists_nothing(entries: object) -> None:
    async def request(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"tools": entries} if params else {"tools": [{"name": "look"}], "nextCursor": "1"}

    assert [tool async for tool in listed(request, "tools")] == [{"name": "look"}]


@pytest.mark.parametrize("cursors", [["1", "2", "1"], ["1", ""], ["1", "1"], [["x"], ["x"]]])
async def test_a_list_that_leads_back_is_read_once(cursors: list[object]) -> None:
    asked: list[object] = []

    async def request(method: str, params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params.get("cursor"))
        return {"tools": [{"name": f"t{len(asked)}"}], "nextCursor": cursors[len(asked) - 1]}

    names = [tool["name"] async for tool in listed(request, "tools")]
    assert names == [f"t{number}" for number in range(1, len(cursors) + 1)]
    assert asked == [None, *cursors[:-1]]


@pytest.mark.parametrize("written", ["True", "[]", "{}"])
async def test_whatever_stands_for_an_ability_the_names_are_looked_up(
    written: str, journal: Journal, tmp_path: Path
) -> None:
    script = tmp_path / "brief.py"
    plain = OLD_SERVER.read_text()
    script.write_text(
        plain.replace('{"listChanged": "--steady" not in sys.argv[2:]}', written).replace(
            '"prompts": {},', '"prompts": None,'
        )
    )
    brief = replace(naming(journal, "pya"), behind=Command([sys.executable, str(script), str(journal.path)]))
    with pytest.raises(CannotServe, match=NO_PYA):
        async with running(brief):
            pass
