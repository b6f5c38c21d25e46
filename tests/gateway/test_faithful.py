"""What passes through a gateway that does not ask."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.subscriptions import listen
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import LOG_LEVEL_META_KEY

from gateway.behind import OLD_SERVER, Journal, client_of, replace, running, settings, text
from gateway.old_server import TOOLS
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.pool import PoolLimits

pytestmark = pytest.mark.anyio


async def test_the_client_sees_the_old_server_as_it_is(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.title, client.server_info.version) == (
            "old",
            "Old server",
            "1.2",
        )
        assert client.instructions == "Ask me."
        result = await client.call_tool("whoami", {})
        assert result.structured_content == {"text": text(result)}
        assert (result.meta or {})["example.com/pid"] == int(text(result))
        assert result.content[0].annotations is not None


async def test_lists_come_in_pages_and_show_what_the_client_can_use(journal: Journal) -> None:
    async with running(settings(journal)) as gateway:
        async with client_of(gateway) as client:
            first = await client.list_tools()
            pages = [first]
            while pages[-1].next_cursor is not None:
                pages.append(await client.list_tools(cursor=pages[-1].next_cursor))
            assert len(pages) > 1
            assert [tool.name for page in pages for tool in page.tools] == [tool["name"] for tool in TOOLS]
            assert first.tools[1].icons is not None
        async with Client(gateway.front) as plain:
            assert [tool.name for tool in (await plain.list_tools()).tools] == ["whoami"]


async def test_errors_pass_with_code_and_data(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        with pytest.raises(MCPError, match="no tool ghost") as raised:
            await client.call_tool("ghost", {})
    assert (raised.value.code, raised.value.data) == (-32602, {"tool": "ghost"})


async def test_progress_and_the_log_pass_as_far_as_they_are_wanted(journal: Journal) -> None:
    steps: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        steps.append((done, total, message))

    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        assert text(await client.call_tool("tell", {}, progress_callback=progress)) == "told"
    assert steps == [(1, 2, "step 1"), (2, 2, "step 2")]


async def test_one_caller_after_another_meets_the_same_process(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        pids = {text(await client.call_tool("whoami", {})) for _ in range(5)}
    assert len(pids) == 1


async def test_calls_at_once_have_a_process_each_up_to_the_bound(journal: Journal) -> None:
    bounded = replace(settings(journal), pool=PoolLimits(sessions=3, per_principal=3, spare=0))
    async with running(bounded) as gateway, client_of(gateway) as client:
        async with anyio.create_task_group() as group:
            for _ in range(9):
                group.start_soon(client.call_tool, "sleep", {"seconds": 0.1})
        assert gateway.counts["sessions"] <= 3


async def test_a_call_past_its_time_ends_and_says_so(journal: Journal) -> None:
    hasty = replace(settings(journal), call_seconds=0.2)
    async with running(hasty) as gateway, client_of(gateway) as client:
        with pytest.raises(MCPError, match=r"did not end within 0\.2 s.*--timeout"):
            await client.call_tool("sleep", {"seconds": 30})


async def test_an_older_client_is_bridged_to_a_session_of_its_own(journal: Journal) -> None:
    asked: list[str] = []

    async def yes(context: object, params: object) -> object:
        from gateway.behind import says_yes

        asked.append(params.message)  # type: ignore[attr-defined]
        return await says_yes(context, params)

    async with (
        running(settings(journal)) as gateway,
        Client(gateway.front, mode="legacy", elicitation_callback=yes) as client,  # type: ignore[arg-type]
    ):
        assert client.protocol_version == "2025-11-25"
        assert text(await client.call_tool("pay", {"amount": 5})) == "paid"
        with pytest.raises(MCPError, match="Log in first") as raised:
            await client.call_tool("page", {})
        assert raised.value.code == -32042
    assert asked == ["Pay 5?", "Really?"]
    assert journal.acts == ["reserved 5", "paid 5"]


async def test_a_subscription_hears_of_the_resource(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        with anyio.fail_after(10):
            async with listen(client.session, resource_subscriptions=["file:///x"]) as events:
                async for event in events:
                    assert event == ResourceUpdated(uri="file:///x")
                    break


async def test_at_the_end_no_process_is_left(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        await client.call_tool("whoami", {})
    assert sum(line.endswith("ended") for line in journal.lines) == len(journal.pids)


async def test_the_log_comes_at_the_level_that_the_request_wants_and_else_not_at_all(
    journal: Journal,
) -> None:
    logged: list[object] = []

    async def hear(message: object) -> None:
        logged.append(message)

    async with (
        running(settings(journal)) as gateway,
        client_of(gateway, logging_callback=hear) as client,
    ):
        await client.call_tool("tell", {})
        assert logged == []
        await client.call_tool("tell", {}, meta={LOG_LEVEL_META_KEY: "warning"})
    assert len(logged) == 2


async def test_a_cancelled_call_gives_its_place_back(journal: Journal) -> None:
    narrow = replace(settings(journal), pool=PoolLimits(sessions=1, per_principal=1, spare=0))
    async with running(narrow) as gateway, client_of(gateway) as client:
        with anyio.move_on_after(0.3):
            await client.call_tool("sleep", {"seconds": 30})
        with anyio.fail_after(15):
            assert text(await client.call_tool("whoami", {}))


async def test_a_server_that_does_not_start_is_tried_again_later_and_the_client_is_told(
    journal: Journal, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(OLD_SERVER.read_text())
    moved = settings(journal)
    assert isinstance(moved.behind, Command)
    moved = replace(
        moved, behind=replace(moved.behind, arguments=[sys.executable, str(script), str(journal.path)])
    )
    async with running(moved) as gateway, client_of(gateway) as client:
        script.rename(tmp_path / "gone.py")
        with pytest.raises(MCPError, match=r"can't be used: .* has ended with status 2.*tried again"):
            await client.call_tool("whoami", {})
        assert not gateway.pool.healthy
        (tmp_path / "gone.py").rename(script)
        with anyio.fail_after(15):
            while not await answers(client):
                await anyio.sleep(0.2)
        assert gateway.pool.healthy


async def answers(client: Client) -> bool:
    try:
        await client.call_tool("whoami", {})
    except MCPError:
        return False
    return True
