"""Clients on older protocols behind a gateway: what is theirs alone, and what has an end."""

from __future__ import annotations

import gc
import math
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult

from gateway.behind import Journal, client_of, replace, running, says_yes, settings, text
from mrtr_adapter.gateway.capset import SessionKind
from mrtr_adapter.gateway.listening import Listening
from mrtr_adapter.gateway.patience import Patience

pytestmark = pytest.mark.anyio


async def test_a_call_past_its_time_ends_for_an_older_client_too(journal: Journal) -> None:
    hasty = replace(settings(journal), call_seconds=0.2)
    async with running(hasty) as gateway, Client(gateway.front, mode="legacy") as client:
        with pytest.raises(MCPError, match=r"did not end within 0\.2 s.*--timeout"):
            await client.call_tool("sleep", {"seconds": 30})


async def test_no_time_passes_while_the_user_is_asked() -> None:
    patience = Patience(30)
    with patience.limited("tools/call"):
        assert anyio.current_effective_deadline() < math.inf
        with patience.paused(), patience.paused():
            assert anyio.current_effective_deadline() == math.inf
            with patience.limited("tools/call"):
                assert anyio.current_effective_deadline() == math.inf
        assert anyio.current_effective_deadline() < math.inf


async def test_two_older_clients_have_a_process_each(journal: Journal) -> None:
    async with running(settings(journal)) as gateway:
        async with Client(gateway.front, mode="legacy") as ada, Client(gateway.front, mode="legacy") as bob:
            seen = [text(await client.call_tool("whoami", {})) for client in (ada, bob, ada, bob)]
        assert seen[:2] == seen[2:]
        assert seen[0] != seen[1]


async def test_a_task_that_was_not_offered_is_an_ordinary_call(journal: Journal) -> None:
    params = CallToolRequestParams.model_validate({"name": "whoami", "arguments": {}, "task": {"ttl": 1000}})
    async with running(settings(journal)) as gateway, Client(gateway.front, mode="legacy") as client:
        result = await client.session.send_request(CallToolRequest(params=params), CallToolResult)
    assert int(text(result)) in journal.pids


async def test_a_tool_that_runs_as_a_task_only_says_so(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        with pytest.raises(MCPError, match="as a task of protocol 2025-11-25 only") as raised:
            await client.call_tool("long", {})
    assert raised.value.data == {"reason": "task_only"}


async def test_an_older_client_is_asked_as_often_as_it_takes(journal: Journal) -> None:
    async def yes(context: object, params: Any) -> Any:
        return await says_yes(context, params)

    async with (
        running(settings(journal)) as gateway,
        Client(gateway.front, mode="legacy", elicitation_callback=yes) as client,
    ):
        assert text(await client.call_tool("three", {})) == "True True True"


def test_nothing_is_kept_of_a_principal_who_has_gone() -> None:
    listening = Listening()
    session = listening.bus(SessionKind.of("ada", {}))
    assert listening.bus(SessionKind.of("ada", {})) is session
    assert listening.principals == 1
    del session
    gc.collect()
    assert listening.principals == 0
