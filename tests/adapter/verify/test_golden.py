"""Old code and its rewritten twin: equal where the rewrite is right, and different where one is planted that is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adapter.verify.case_modules import case_file
from adapter.verify.servers import mrtr

GOLDEN = Path(__file__).parents[2] / "golden"


def verified(tmp_path: Path, rewritten: Path, tools: set[str]) -> dict[str, Any]:
    cases = case_file(GOLDEN / "before.py", tmp_path / "cases.json", tools)
    ended = mrtr(
        *("verify", str(GOLDEN / "before.py"), "--cases", str(cases)),
        *("--rewritten", str(rewritten), "--format", "json"),
    )
    told: dict[str, Any] = json.loads(ended.out)
    return {**told, "status": ended.status}


def test_the_golden_rewrite_is_equal(tmp_path: Path) -> None:
    told = verified(tmp_path, GOLDEN / "after.py", {"delete_files", "greet", "connect"})
    assert told["status"] == 0, told
    assert [hazard["kind"] for hazard in told["hazards"]] == []


PLANTED = {
    "a refusal is not seen": ('if answer.action != "accept" or not answer.data.ok:', "if False:", "result"),
    "a question is worded anew": ('f"Close ticket {ticket}?"', 'f"Close {ticket}?"', "question"),
    "a question is left out": (
        "    if answer is None:\n"
        '        return steps.ask(CloseTicketAnswer(), answer=form(f"Close ticket {ticket}?", Confirm))\n'
        '    if answer.action != "accept" or not answer.data.ok:\n'
        '        return f"Ticket {ticket} stays open."\n',
        "",
        "question",
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_wrong_rewrite_is_found(fault: str, tmp_path: Path) -> None:
    right, wrong, kind = PLANTED[fault]
    source = (GOLDEN / "after.py").read_text()
    assert source.count(right) >= 1
    folder = tmp_path / "rewritten"
    folder.mkdir()
    for name in ("before.py", "mrtr_steps.py"):
        (folder / name).write_text((GOLDEN / name).read_text())
    (folder / "after.py").write_text(source.replace(right, wrong, 1))

    told = verified(tmp_path, folder / "after.py", {"close_ticket"})
    assert told["status"] == 1
    kinds = {
        difference["kind"]
        for each in told["cases"]
        for way, found in each["differences"].items()
        for difference in found
        if way == "rewritten"
    }
    assert kind in kinds
    assert all("adapted" not in each["differences"] for each in told["cases"])


def test_a_handler_that_was_not_rewritten_is_told(tmp_path: Path) -> None:
    told = verified(tmp_path, GOLDEN / "before.py", {"close_ticket"})
    assert told["status"] == 0
    assert {hazard["kind"] for hazard in told["hazards"]} == {"still awaits the client"}
