"""Samples of an older SDK do on that SDK what they do now: adapted, and rewritten, over real connections."""

from __future__ import annotations

import sys

import pytest

from mrtr_adapter.verify.cases import Case, read_cases
from needs import needs
from samples.making import SAMPLES
from samples.old_sdk import play

pytestmark = pytest.mark.anyio

ADAPTED = {"booking": "upgraded.py", "wizard": "server.py"}
CASES = [
    pytest.param(name, case, id=f"{name}: {case.name}")
    for name in ADAPTED
    for case in read_cases(SAMPLES / name / "cases.json")
    if "missing" not in case.answers and len(case.answers) > 2
]


@pytest.mark.parametrize(("name", "case"), CASES)
async def test_it_does_now_what_it_did_then(name: str, case: Case) -> None:
    sample = SAMPLES / name
    then = await play(case, sample, [needs("fastmcp3"), "server.py"], "legacy")
    mrtr = [sys.executable, "-m", "mrtr_adapter.cli", "run"]
    assert await play(case, sample, [*mrtr, ADAPTED[name]], "2026-07-28") == then
    assert await play(case, sample, [sys.executable, f"{name}.py"], "2026-07-28") == then
    assert await play(case, sample, [*mrtr, f"{name}.py"], "legacy") == then
