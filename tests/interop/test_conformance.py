"""The official conformance suite against old-style handlers behind `adapt`, one test a scenario.

All scenarios of both protocol versions run against the same process.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from interop.serving import Instance
from mrtr_adapter.keys import new_key
from needs import NODE_MODULES, needs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUITE = NODE_MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"

MODERN = [
    "basic-elicitation",
    "basic-sampling",
    "basic-list-roots",
    "request-state",
    "multiple-input-requests",
    "multi-round",
    "missing-input-response",
    "non-tool-request",
    "result-type",
    "unsupported-methods",
    "tampered-state",
    "capability-check",
    "ignore-extra-params",
    "validate-input",
]
LEGACY = [
    "tools-call-elicitation",
    "tools-call-sampling",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
]
WARNED = {"ignore-extra-params": ["sep-2322-ignore-unexpected-params"]}
"""The suite sends an answer to a question that was never asked and would have it taken. An answer counts only
if the state that comes back says that it was asked for, so the server asks instead. No other warning is
accepted."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    needs("node")
    log = tmp_path_factory.mktemp("conformance") / "server.log"
    instance = Instance("conformance_server.py", log, new_key())
    try:
        yield instance.start()
    finally:
        instance.stop()


@pytest.mark.parametrize("scenario", MODERN)
def test_2026_07_28(scenario: str, server: Instance, tmp_path: Path) -> None:
    checks = run_scenario(f"input-required-result-{scenario}", "2026-07-28", server.url, tmp_path)
    assert failures(checks) == []
    assert warnings(checks) == WARNED.get(scenario, [])


@pytest.mark.parametrize("scenario", LEGACY)
def test_2025_11_25_on_the_same_process(scenario: str, server: Instance, tmp_path: Path) -> None:
    checks = run_scenario(scenario, "2025-11-25", server.url, tmp_path)
    assert failures(checks) == []
    assert warnings(checks) == []


def test_no_scenario_of_multi_round_trips_is_left_out() -> None:
    listing = subprocess.run(
        [needs("node"), str(SUITE), "list", "--server", "--spec-version", "2026-07-28"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    prefix = "- input-required-result-"
    listed = [line.split()[1].removeprefix(prefix[2:]) for line in listing.splitlines() if prefix in line]
    assert sorted(listed) == sorted(MODERN)


def run_scenario(scenario: str, version: str, url: str, folder: Path) -> list[dict[str, Any]]:
    """Run one scenario and return its checks, of which there is at least one."""
    command = [needs("node"), str(SUITE), "server", "--url", url, "--output-dir", str(folder)]
    command += ["--scenario", scenario, "--spec-version", version]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    reports = list(folder.rglob("checks.json"))
    assert len(reports) == 1, f"the suite left no report:\n{run.stdout}\n{run.stderr}"
    checks: list[dict[str, Any]] = json.loads(reports[0].read_text())
    assert checks, f"{scenario} checked nothing"
    return checks


def failures(checks: list[dict[str, Any]]) -> list[str]:
    """The checks that neither passed nor warned: a check that was skipped has not passed either."""
    return [
        f"{check['id']}: {check['status']}: {check.get('errorMessage')}"
        for check in checks
        if check["status"] not in {"SUCCESS", "INFO", "WARNING"}
    ]


def warnings(checks: list[dict[str, Any]]) -> list[str]:
    return [check["id"] for check in checks if check["status"] == "WARNING"]
