"""The official conformance suite against a gateway in front of an old server with old-style handlers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.instance import Instance
from interop.test_conformance import LEGACY, MODERN, run_scenario, unmet
from mrtr_adapter.sealing.keys import new_key
from needs import needs

OLD = Path(__file__).parent / "counterparts" / "conformance_old.py"
"""The suite demands the key `user_name` for a form with the field `name`: that is the title of the form, `UserName`."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needs("node")
    log = tmp_path_factory.mktemp("conformance") / "log"
    with Instance(log, ("--", needs("fastmcp3"), str(OLD)), {"MRTR_KEYS": new_key()}) as gateway:
        yield f"http://127.0.0.1:{gateway.port}/mcp"


@pytest.mark.parametrize("scenario", MODERN)
def test_2026_07_28(scenario: str, url: str, tmp_path: Path) -> None:
    assert unmet(run_scenario(f"input-required-result-{scenario}", "2026-07-28", url, tmp_path)) == []


@pytest.mark.parametrize("scenario", LEGACY)
def test_2025_11_25_at_the_same_gateway(scenario: str, url: str, tmp_path: Path) -> None:
    assert unmet(run_scenario(scenario, "2025-11-25", url, tmp_path)) == []
