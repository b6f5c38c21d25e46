"""The official conformance suite against a FastMCP server of await-style handlers, both protocols on one process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from interop.serving import Instance
from interop.test_conformance import LEGACY, MODERN, run_scenario, unmet
from mrtr_adapter.sealing.keys import new_key
from needs import needs

SERVER = str(Path(__file__).with_name("conformance_server.py"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    needs("node")
    instance = Instance(SERVER, tmp_path_factory.mktemp("conformance") / "server.log", new_key())
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
    assert unmet(run_scenario(scenario, "2025-11-25", server.url, tmp_path)) == []
