"""FastMCP 3.4.11 itself as the reference: what it does is recorded, and the recordings are what it does.

Each call of reference/probe.py is compared in full: every parameter of what the client is asked, and all that the
handler gets back or sees raised.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from needs import needs

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "cases" / "fastmcp"
PROBE = HERE / "reference" / "probe.py"
RECORDED = HERE / "reference" / "native.jsonl"


def run(python: str, *args: str | Path) -> str:
    done = subprocess.run([python, *map(str, args)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def by_call(lines: str) -> dict[str, Any]:
    return {name: seen for line in lines.splitlines() for name, seen in json.loads(line).items()}


@pytest.fixture(scope="module", params=["2026-07-28", "legacy"])
def adapted(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The probe on FastMCP 4, behind `adapt`."""
    return by_call(run(sys.executable, PROBE, request.param))


def untitled(call: dict[str, Any]) -> dict[str, Any]:
    """Without the name of a whole form: FastMCP 4 gives none to a plain value, and 2026-07-28 carries none."""
    for asked in call["seen"]:
        asked.get("requestedSchema", {}).pop("title", None)
    return call


@pytest.mark.parametrize("name", by_call(RECORDED.read_text()))
def test_a_call_asks_and_gives_what_it_did(name: str, adapted: dict[str, Any]) -> None:
    assert untitled(adapted[name]) == untitled(by_call(RECORDED.read_text())[name])


def test_no_call_is_left_out(adapted: dict[str, Any]) -> None:
    assert list(adapted) == list(by_call(RECORDED.read_text()))


def test_the_recorded_calls_are_what_fastmcp_3_does() -> None:
    assert run(needs("fastmcp3"), PROBE) == RECORDED.read_text()


@pytest.mark.parametrize("case", sorted(CASES.glob("f*.py")), ids=lambda case: case.stem)
def test_a_recorded_server_is_what_fastmcp_3_does(case: Path) -> None:
    assert "DIFFERENT" not in run(needs("fastmcp3"), CASES / "record.py", case, "-n")
