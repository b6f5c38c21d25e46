"""The servers of tests/cases: equal where nothing stands above a question, and different by exactly what does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from adapter.test_cases import REPEATS
from adapter.verify.case_modules import case_file, logging_server
from adapter.verify.servers import mrtr

CASES = Path(__file__).parents[2] / "cases"
QUICK = ("c01_mailbox_purge", "c05_bucket_batch", "c13_workspace_report", "c17_triage_agent", "c20_letters")
"""Of each shape one, for every commit; the others run by night."""
KEPT_FROM_REPEATING = {"c10_export_audit"}
"""Its effect stands in a `finally`: it writes to a file here, which the adapter stops while it suspends the handler."""
SET_APART = {
    "c08_feature_flags": "one of its scripts breaks a schema, which is asked again",
    "c15_tracker_oauth": "its scripts open pages, and it draws 128 bits by hand for each",
    "c21_door_codes": "its questions quote the time and a code",
}


def modules() -> list[Any]:
    files = [*sorted(CASES.glob("c*.py")), *sorted((CASES / "fastmcp").glob("f*.py"))]
    return [
        pytest.param(file, id=file.stem, marks=[] if file.stem in QUICK else [pytest.mark.nightly])
        for file in files
        if file.stem not in SET_APART
    ]


@pytest.mark.parametrize("module", modules())
def test_a_server_differs_by_repeated_effects_alone(module: Path, tmp_path: Path) -> None:
    targets = None
    if module.stem == "c13_workspace_report" and sys.version_info < (3, 11):
        targets = {"weekly_report"}  # the other one uses `asyncio.TaskGroup`
    cases = case_file(module, tmp_path / "cases.json", targets)
    server = logging_server(module, tmp_path)
    ended = mrtr("verify", str(server), "--cases", str(cases), "--log", "effects.log", "--format", "json")
    told = json.loads(ended.out)

    kinds = {
        difference["kind"]
        for case in told["cases"]
        for found in case["differences"].values()
        for difference in found
    }
    assert {case["verdict"] for case in told["cases"]} <= {"equal", "different"}, told
    repeats = module.stem in REPEATS - KEPT_FROM_REPEATING or module.parent.name == "fastmcp"
    assert kinds == ({"effect repeated"} if repeats else set())
    assert ended.status == (1 if repeats else 0)
