"""What an old server asks right after it has started, before there is a call."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import ListRootsResult, Root

from adapter.check.serving import served
from gateway.behind import Journal, Rounds, client_of, replace, running, settings, text
from mrtr_adapter.check.connect import over_http
from mrtr_adapter.check.model import Status
from mrtr_adapter.check.run import Plan, check
from mrtr_adapter.gateway import lists, session
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.http import Places
from mrtr_adapter.gateway.settings import Settings

pytestmark = pytest.mark.anyio

ROOTS = ListRootsResult(roots=[Root(uri="file:///work")])


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the old server is to ask, it is waited for."""
    monkeypatch.setattr(session, "ROOTS_SECONDS", 60.0)


async def has_roots(context: object) -> ListRootsResult:
    return ROOTS


def asking(journal: Journal, *when: str, **more: Any) -> Settings:
    """For an old server that asks for roots, by default when it has started."""
    plain = settings(journal, **more)
    assert isinstance(plain.behind, Command)
    arguments = [*plain.behind.arguments, *(when or ["--roots"])]
    return replace(plain, behind=replace(plain.behind, arguments=arguments))


@pytest.fixture
def certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the old server is to list its tools, it is waited for."""
    monkeypatch.setattr(lists, "LOOK_FIRST_SECONDS", 60.0)


@pytest.mark.usefixtures("patient")
async def test_the_call_begins_with_it_and_reaches_the_server_once_that_is_answered(journal: Journal) -> None:
    async with (
        running(asking(journal)) as gateway,
        client_of(gateway, list_roots_callback=has_roots) as client,
    ):
        call = Rounds("where")
        assert await call.send(client) is None
        assert (call.keys, journal.acts) == (["roots"], [])
        assert text(await call.send(client, {"roots": ROOTS})) == "file:///work"
        assert text(await Rounds("where").send(client)) == "file:///work"
    assert journal.acts == ["looked", "looked"]


async def test_a_client_without_roots_is_not_asked(journal: Journal) -> None:
    async with running(asking(journal)) as gateway, client_of(gateway) as client:
        assert text(await Rounds("where").send(client)) == "nowhere"


@pytest.mark.usefixtures("patient")
async def test_another_gateway_may_begin_the_call_even_if_it_may_run_nothing_again(journal: Journal) -> None:
    never = asking(journal, hold=0, replay="none")
    call = Rounds("where")
    async with running(never) as first, client_of(first, list_roots_callback=has_roots) as client:
        await call.send(client)
    async with running(never) as second, client_of(second, list_roots_callback=has_roots) as client:
        assert text(await call.send(client, {"roots": ROOTS})) == "file:///work"
    assert journal.acts == ["looked"]


@pytest.mark.usefixtures("patient")
async def test_a_held_call_goes_on_after_it(journal: Journal) -> None:
    async with (
        running(asking(journal)) as gateway,
        client_of(gateway, list_roots_callback=has_roots) as client,
    ):
        call = Rounds("pay", {"amount": 5})
        await call.send(client)
        assert await call.send(client, {"roots": ROOTS}) is None
        assert call.messages == ["Pay 5?"]
        assert await call.agree(client) is None
        assert text(await call.agree(client)) == "paid"
    assert journal.acts == ["reserved 5", "paid 5"]


@pytest.mark.usefixtures("patient")
async def test_a_call_that_is_run_again_does_not_ask_the_client_again(journal: Journal) -> None:
    again = asking(journal, hold=0, replay="all")
    call = Rounds("pay", {"amount": 5})
    async with running(again) as first, client_of(first, list_roots_callback=has_roots) as client:
        await call.send(client)
        await call.send(client, {"roots": ROOTS})
    async with running(again) as second, client_of(second, list_roots_callback=has_roots) as client:
        assert await call.agree(client) is None
        assert call.messages == ["Really?"]
        assert text(await call.agree(client)) == "paid"


@pytest.mark.usefixtures("patient")
async def test_once_the_call_was_begun_it_is_not_run_again_without_permission(journal: Journal) -> None:
    call = Rounds("pay", {"amount": 5})
    async with (
        running(asking(journal)) as first,
        client_of(first, list_roots_callback=has_roots) as client,
    ):
        await call.send(client)
        await call.send(client, {"roots": ROOTS})
    async with (
        running(asking(journal)) as second,
        client_of(second, list_roots_callback=has_roots) as client,
    ):
        with pytest.raises(MCPError, match="call is lost"):
            await call.agree(client)
    assert journal.acts == ["reserved 5"]


async def test_a_list_that_waits_for_an_answer_goes_on_without_it(journal: Journal) -> None:
    everywhere = asking(journal, "--roots-everywhere")
    async with (
        running(everywhere) as gateway,
        client_of(gateway, list_roots_callback=has_roots) as client,
    ):
        with anyio.fail_after(20):
            assert (await client.list_tools()).tools
        assert text(await client.call_tool("where", {})) == "file:///work"


async def test_a_server_that_asks_what_the_client_has_not_declared_goes_on_as_on_an_older_connection(
    journal: Journal,
) -> None:
    everywhere = asking(journal, "--roots-everywhere")
    async with running(everywhere) as gateway, client_of(gateway) as client:
        with anyio.fail_after(20):
            assert (await client.list_tools()).tools
            assert text(await client.call_tool("where", {})) == "nowhere"


@pytest.mark.usefixtures("patient")
async def test_what_is_asked_again_right_before_the_call_is_asked_in_it(journal: Journal) -> None:
    again = asking(journal, "--roots-twice", hold=0, replay="all")
    call = Rounds("where")
    for number in range(3):  # each at another gateway
        async with running(again) as gateway, client_of(gateway, list_roots_callback=has_roots) as client:
            result = await call.send(client, dict.fromkeys(call.keys, ROOTS))
            assert (result is None, len(call.keys)) == (number < 2, 1)
    assert text(result) == "file:///work"
    assert journal.acts == ["looked"]


@pytest.mark.usefixtures("patient")
async def test_what_is_not_waited_for_any_more_is_not_asked(journal: Journal) -> None:
    async with (
        running(asking(journal, "--roots-withdrawn")) as gateway,
        client_of(gateway, list_roots_callback=has_roots) as client,
    ):
        assert await Rounds("whoami").send(client)


@pytest.mark.usefixtures("patient", "certain")
async def test_nobody_is_asked_for_a_tool_or_prompt_that_does_not_exist(journal: Journal) -> None:
    async with (
        running(asking(journal)) as gateway,
        client_of(gateway, list_roots_callback=has_roots) as client,
    ):
        with pytest.raises(MCPError, match="no tool ghost"):
            await Rounds("ghost").send(client)
        with pytest.raises(MCPError, match="no prompt ghost"):
            await client.session.get_prompt("ghost", allow_input_required=True)
        call = Rounds("where")
        assert await call.send(client) is None, "the question still waits for a call of something"
        assert text(await call.send(client, {"roots": ROOTS})) == "file:///work"


@pytest.mark.usefixtures("patient", "certain")
async def test_a_tool_that_is_not_listed_may_ask_what_it_waits_for(journal: Journal) -> None:
    async with (
        running(asking(journal)) as gateway,
        client_of(gateway, list_roots_callback=has_roots) as client,
    ):
        call = Rounds("where_unlisted")
        assert await call.send(client) is None
        assert call.keys == ["roots"]
        assert text(await call.send(client, {"roots": ROOTS})) == "file:///work"
    assert journal.acts == ["looked"]


@pytest.mark.usefixtures("patient")
async def test_a_call_is_asked_for_when_the_list_can_not_be_had_before(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "LOOK_FIRST_SECONDS", 0.1)
    async with (
        running(asking(journal, "--roots", "--roots-everywhere")) as gateway,
        client_of(gateway, list_roots_callback=has_roots) as client,
    ):
        call = Rounds("whoami")
        assert await call.send(client) is None
        assert call.keys == ["roots"]


@pytest.mark.usefixtures("patient", "certain")
async def test_a_gateway_that_has_just_started_passes_the_check(journal: Journal) -> None:
    app = Places({"/mcp": asking(journal)}, "127.0.0.1").app
    with served(app) as url:
        async with over_http(f"{url}/mcp", {}, 60) as wire:
            report = await check("gateway", wire, Plan())
    assert report.of(Status.FAILED) == []
    assert report.of(Status.UNCHECKED) == []
