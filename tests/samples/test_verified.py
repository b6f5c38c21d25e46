"""Every sample does on 2026-07-28 what it did, adapted and rewritten, with every round in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from samples.making import NAMES, SAMPLES

REPLAY_DIFFERS = {("cleaner", "remove both groups")}
"""What the first answer led to changes what the handler finds when it is run again, so its report is shorter."""


def verified(name: str) -> dict[str, Any]:
    folder = SAMPLES / name
    upgraded = folder / "upgraded.py"
    server = upgraded if upgraded.exists() else folder / "server.py"
    command = [sys.executable, "-m", "mrtr_adapter.cli", "verify", str(server)]
    files = ["--cases", str(folder / "cases.json"), "--rewritten", str(SAMPLES / "rewritten" / f"{name}.py")]
    done = subprocess.run(
        [*command, *files, "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    report: dict[str, Any] = json.loads(done.stdout or "{}")
    assert done.returncode in (0, 1), done.stderr
    return report


@pytest.mark.parametrize("name", NAMES)
def test_native_adapted_and_rewritten_are_equal(name: str) -> None:
    cases = verified(name)["cases"]
    differing = {
        (name, case["name"], run) for case in cases for run, found in case["differences"].items() if found
    }
    assert differing == {(*known, "adapted") for known in REPLAY_DIFFERS if known[0] == name}
    assert all({"native", "adapted", "rewritten"} <= case["runs"].keys() for case in cases)
    assert len({case["target"] for case in cases}) > 1
    assert any(len(case["runs"]["native"]["questions"]) > 1 for case in cases)
