"""Old servers and clients that mean no good: the gateway stays up, and says what happened."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult, InputRequiredResult

from adapter.mutants import mutants
from gateway.behind import Gateway, Journal, Rounds, client_of, replace, running, settings, text
from gateway.instance import Instance
from gateway.test_instances import gateway as instance_of
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.holds import HoldLimits
from mrtr_adapter.gateway.pool import PoolLimits
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.serving.refusal import CannotServe

pytestmark = pytest.mark.anyio

HOSTILE = Path(__file__).parent / "hostile_server.py"
MUTANTS = 200


def before(*how: str, **more: Any) -> Settings:
    return Settings(Command([sys.executable, str(HOSTILE), *how]), **{"pool": PoolLimits(spare=0), **more})


@asynccontextmanager
async def clients(*how: str, **more: Any) -> AsyncIterator[Client]:
    async with running(before(*how, **more)) as gateway, client_of(gateway) as client:
        yield client


# -- old servers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["flood", "deep", "wrong_ids", "nonsense"])
async def test_what_is_no_message_is_passed_over(how: str, caplog: pytest.LogCaptureFixture) -> None:
    async with clients(how) as client:
        assert text(await client.call_tool("act", {})) == "done"
        assert text(await client.call_tool("act", {})) == "done"
    assert len([record for record in caplog.records if record.name == "mrtr"]) < 100


async def test_the_first_of_two_replies_counts() -> None:
    async with clients("twice") as client:
        assert [text(await client.call_tool("act", {})) for _ in range(3)] == ["first"] * 3


async def test_a_line_past_all_bounds_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mrtr_adapter.gateway.child.MAX_MESSAGE_BYTES", 3_000_000)
    async with clients("endless_line") as client:
        with pytest.raises(MCPError, match=r"went away.*more than 3000000 bytes") as raised:
            await client.call_tool("act", {})
        assert raised.value.data == {"reason": "server_gone"}


async def test_an_error_that_is_none_is_told_as_one() -> None:
    async with clients("strange_error") as client:
        with pytest.raises(MCPError, match="unknown") as raised:
            await client.call_tool("act", {})
    assert raised.value.code == -32603


async def test_a_request_that_no_client_knows_is_refused() -> None:
    async with clients("unheard_of") as client:
        assert text(await client.call_tool("act", {})) == "-32601"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("asks_without_end", "asks more than 100 things at once"),
        ("malformed_question", "protocol can't carry"),
    ],
)
async def test_questions_that_can_not_be_carried_end_the_call(how: str, said: str) -> None:
    async with clients(how) as client:
        with pytest.raises(MCPError, match=said):
            await client.call_tool("act", {})
        assert (await client.list_tools()).tools


async def test_what_a_server_says_while_its_call_is_held_is_kept_within_bounds(tmp_path: Path) -> None:
    steps: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        steps.append(done)

    async with clients("chatters", str(tmp_path)) as client:
        asked = await client.session.call_tool("act", {}, allow_input_required=True)
        assert isinstance(asked, InputRequiredResult)
        (tmp_path / "go").touch()
        with anyio.fail_after(60):
            while not (tmp_path / "gone").exists():
                await anyio.sleep(0.05)
        result = await client.session.call_tool(
            "act",
            {},
            progress_callback=progress,
            request_state=asked.request_state,
            input_responses={"sure": ElicitResult(action="accept", content={"sure": True})},
        )
        assert text(result) == "done"
    assert steps == sorted(steps)
    assert len(steps) < 5000


async def test_a_server_that_dies_while_it_asks_is_told_of_at_the_retry() -> None:
    async with clients("dies_while_it_asks") as client:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("act", {})
        assert raised.value.data["reason"] in ("server_gone", "call_lost")


@pytest.mark.parametrize("how", ["deaf", "hears_nothing"])
async def test_a_server_that_stalls_ends_a_call_by_its_time(how: str) -> None:
    async with clients(how, call_seconds=0.5) as client:
        with pytest.raises(MCPError, match="did not end within"):
            await client.call_tool("act", {"much": "x" * 1_000_000})


@pytest.mark.parametrize(
    ("how", "reason"),
    [("mute", "no answer to initialize within"), ("odd", "without a result"), ("bare", "lacks capabilities")],
)
async def test_a_server_that_does_not_introduce_itself_is_refused(how: str, reason: str) -> None:
    seconds = 0.5 if how == "mute" else 60
    with pytest.raises(CannotServe, match=reason):
        async with running(before(how, pool=PoolLimits(start_seconds=seconds, spare=0))):
            pass


# -- clients -----------------------------------------------------------------------------------------------


async def test_calls_that_nobody_answers_fill_no_more_than_their_share(journal: Journal) -> None:
    narrow = replace(
        settings(journal),
        pool=PoolLimits(sessions=4, per_principal=4, spare=0),
        hold=HoldLimits(seconds=600, calls=3),
    )
    reasons = []
    async with running(narrow) as gateway, client_of(gateway) as client:
        for amount in range(12):
            try:
                await Rounds("pay", {"amount": amount}).send(client)
            except MCPError as error:
                reasons.append(error.data["reason"])
        assert gateway.counts["held"] == 3
        assert gateway.counts["sessions"] <= 4
        assert reasons == ["cannot_wait"] * 9
        assert text(await client.call_tool("whoami", {}))


async def test_held_calls_are_bounded_in_bytes(journal: Journal) -> None:
    narrow = replace(settings(journal), hold=HoldLimits(seconds=600, kilobytes=100))
    async with running(narrow) as gateway, client_of(gateway) as client:
        await Rounds("pay", {"amount": 1, "padding": "x" * 60_000}).send(client)
        with pytest.raises(MCPError, match="neither keep the call alive"):
            await Rounds("pay", {"amount": 2, "padding": "x" * 60_000}).send(client)
        assert gateway.counts["held"] == 1


async def test_a_forged_state_continues_nothing(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        call, other = Rounds("pay", {"amount": 5}), Rounds("pay", {"amount": 6})
        await call.send(client)
        await other.send(client)
        sealed = call.state or ""
        for call.state in mutants(sealed, [other.state or ""], MUTANTS):
            if call.state != sealed:
                with pytest.raises(MCPError, match="Invalid or expired requestState"):
                    await call.agree(client)
        assert gateway.counts["held"] == 2
        call.state = sealed
        assert await call.agree(client) is None
    assert journal.acts == ["reserved 5", "reserved 6"]


async def test_all_at_once_give_their_places_back(journal: Journal) -> None:
    """Clients that leave in the middle of their calls."""
    narrow = replace(settings(journal), pool=PoolLimits(sessions=3, per_principal=3, spare=0))

    async def leave(gateway: Gateway) -> None:
        async with client_of(gateway) as client:
            with anyio.move_on_after(0.05):
                await client.call_tool("sleep", {"seconds": 60})

    async with running(narrow) as gateway:
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(leave, gateway)
        async with client_of(gateway) as client:
            assert text(await client.call_tool("whoami", {}))
        assert gateway.counts["sessions"] <= 3


def test_foreign_pages_and_huge_bodies_are_refused(journal: Journal) -> None:
    with instance_of(journal, "a") as instance:
        url = f"http://127.0.0.1:{instance.port}/mcp"
        page = httpx2.post(url, json={}, headers={"Origin": "https://evil.example.com"})
        huge = httpx2.post(url, content=b"x" * 8_000_000, headers={"Content-Type": "application/json"})
        assert page.status_code == 403
        assert huge.status_code == 413
        assert still_works(instance)


def still_works(instance: Instance) -> bool:
    return "result" in instance.call("whoami", {})
