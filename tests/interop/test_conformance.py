"""The official conformance suite against old-style handlers behind `adapt`, one test a scenario.

All scenarios of both protocol versions run against the same process.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from interop.serving import Instance
from mrtr_adapter.sealing.keys import new_key
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
    "validate-input",
]
LEGACY = [
    "tools-call-elicitation",
    "tools-call-sampling",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
]
UNASKED = "ignore-extra-params"
"""This one sends an answer to a question that was never asked, and warns unless it is taken."""


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
    assert unmet(checks) == []


@pytest.mark.parametrize("scenario", LEGACY)
def test_2025_11_25_on_the_same_process(scenario: str, server: Instance, tmp_path: Path) -> None:
    checks = run_scenario(scenario, "2025-11-25", server.url, tmp_path)
    assert unmet(checks) == []


def test_answer_to_no_question_is_not_taken_whatever_the_suite_recommends(
    server: Instance, tmp_path: Path
) -> None:
    checks = run_scenario(f"input-required-result-{UNASKED}", "2026-07-28", server.url, tmp_path)
    (warning,) = [check for check in checks if check["status"] != "SUCCESS"]
    assert (warning["id"], warning["status"]) == ("sep-2322-ignore-unexpected-params", "WARNING")
    assert warning["details"]["result"]["resultType"] == "input_required"
    assert list(warning["details"]["result"]["inputRequests"]) == ["user_name"]


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
    assert sorted(listed) == sorted([*MODERN, UNASKED])


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


def unmet(checks: list[dict[str, Any]]) -> list[str]:
    """The checks that failed, warned, or were skipped: what was not checked has not passed."""
    return [
        f"{check['id']}: {check['status']}: {check.get('errorMessage')}"
        for check in checks
        if check["status"] not in {"SUCCESS", "INFO"}
    ]
