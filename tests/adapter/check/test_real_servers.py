"""What the check says of servers on the SDKs: nothing where mrtr stands in front, and what is true of the others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapter.check import real
from adapter.check.serving import served
from mrtr_adapter.check.answering import Action
from mrtr_adapter.check.calling import Tool
from mrtr_adapter.check.connect import over_http, over_stdio
from mrtr_adapter.check.model import Report, Status
from mrtr_adapter.check.run import Plan, check
from mrtr_adapter.serving.http import application

pytestmark = pytest.mark.anyio

TOOLS = (Tool("sell", {"thing": "ship"}), Tool("buy", {"thing": "ship"}))
BY_HAND = {
    "undeclared-never-asked",
    "other-mode-never-asked",
    "missing-answer-asked-again",
    "wrong-kind-refused",
    "answer-needs-its-state",
}
"""What the SDKs leave to a handler in step form, and the handlers here do not do."""


async def checked(make: Callable[[], Any], action: Action) -> Report:
    with served(application(make(), "127.0.0.1")) as url:
        async with over_http(f"{url}/mcp", {}, 30) as wire:
            return await check("server", wire, Plan(TOOLS, action=action))


def ids(report: Report, status: Status) -> set[str]:
    return {verdict.check.id for verdict in report.of(status)}


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("make", [real.adapted, real.adapted_fastmcp, real.resolving])
async def test_an_adapted_server_and_the_sdks_resolve_pass(make: Callable[[], Any], action: Action) -> None:
    report = await checked(make, action)
    assert ids(report, Status.FAILED) | ids(report, Status.UNCHECKED) == set()
    assert report.tools == ("sell", "buy")
    assert {"changed-state-refused", "state-bound-to-tool", "state-bound-to-arguments"} <= ids(
        report, Status.PASSED
    )


@pytest.mark.parametrize("make", [real.in_steps, real.in_steps_fastmcp])
async def test_a_handler_in_step_form_has_to_look_after_itself(make: Callable[[], Any]) -> None:
    assert ids(await checked(make, Action.DECLINE), Status.FAILED) == BY_HAND
    accepted = ids(await checked(make, Action.ACCEPT), Status.FAILED)
    assert accepted == BY_HAND | {"broken-content-refused"}


async def test_a_server_on_stdio_is_checked_like_one_over_http(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    tests = Path(__file__).parents[2]
    script.write_text(
        f"import sys; sys.path.insert(0, {str(tests)!r})\n"
        "from adapter.check.real import adapted\nadapted().run('stdio')\n"
    )
    async with over_stdio([sys.executable, str(script)], 60) as wire:
        report = await check("server", wire, Plan(TOOLS))
    assert ids(report, Status.FAILED) | ids(report, Status.UNCHECKED) == set()
    assert "envelope-required" in ids(report, Status.SKIPPED)
