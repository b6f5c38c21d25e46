"""How a gateway tells that something is wrong, recovers by itself, and ends."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.subscriptions import listen
from mcp.shared.exceptions import MCPError

from gateway.behind import OLD_SERVER, Journal, Rounds, client_of, replace, running, settings, text
from gateway.instance import gone
from gateway.test_instances import gateway as instance_of
from gateway.test_instances import said
from interop.wire import HEADERS, META
from mrtr_adapter.gateway import http, pool
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.http import Places
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.serving.refusal import CannotServe

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def served(servers: dict[str, Settings]) -> AsyncIterator[httpx2.AsyncClient]:
    app = Places(servers, "127.0.0.1").app
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client,
    ):
        yield client


async def whoami(client: httpx2.AsyncClient, path: str) -> httpx2.Response:
    params = {"name": "whoami", "arguments": {}, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return await client.post(path, json=message, headers={**HEADERS, "Mcp-Name": "whoami"}, timeout=60)


def with_script(journal: Journal, script: Path) -> Settings:
    return replace(settings(journal), behind=Command([sys.executable, str(script), str(journal.path)]))


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_LOOK_AFTER_SECONDS", 0.05)
    monkeypatch.setattr(http, "_FIRST_PAUSE", 0.05)


@pytest.mark.usefixtures("hasty")
async def test_one_server_that_does_not_start_keeps_no_other_from_being_served(
    journal: Journal, tmp_path: Path
) -> None:
    script = tmp_path / "later.py"
    both = {"/good/mcp": settings(journal), "/late/mcp": with_script(journal, script)}
    async with served(both) as client:
        health = await client.get("/healthz")
        words = {path: one["status"] for path, one in health.json()["servers"].items()}
        assert (health.status_code, health.json()["status"]) == (200, "degraded")
        assert words == {"/good/mcp": "ok", "/late/mcp": "down"}
        assert "result" in (await whoami(client, "/good/mcp")).json()
        assert (await whoami(client, "/late/mcp")).status_code == 503
        script.write_text(OLD_SERVER.read_text())
        with anyio.fail_after(60):
            while (await client.get("/healthz")).json()["status"] != "ok":
                await anyio.sleep(0.05)
        assert "result" in (await whoami(client, "/late/mcp")).json()


async def test_if_no_server_starts_the_gateway_does_not(journal: Journal, tmp_path: Path) -> None:
    neither = {f"/{name}/mcp": with_script(journal, tmp_path / f"{name}.py") for name in ("a", "b")}
    with pytest.raises(CannotServe, match="has ended with status 2"):
        async with served(neither):
            pass


@pytest.mark.usefixtures("hasty")
async def test_health_recovers_although_nobody_asks_for_anything(journal: Journal, tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(OLD_SERVER.read_text())
    async with running(with_script(journal, script)) as gateway, client_of(gateway) as client:
        assert gateway.health["status"] == "ok"
        script.rename(tmp_path / "gone.py")
        with pytest.raises(MCPError, match="can't be used"):
            await client.call_tool("whoami", {})
        assert gateway.health["status"] == "degraded"
        (tmp_path / "gone.py").rename(script)
        with anyio.fail_after(60):
            while gateway.health["status"] != "ok":
                await anyio.sleep(0.05)


async def test_near_its_end_a_gateway_ends_streams_and_asks_nothing_in_vain(journal: Journal) -> None:
    async with running(settings(journal)) as gateway, client_of(gateway) as client:
        held = Rounds("pay", {"amount": 5})
        await held.send(client)
        with anyio.fail_after(60):
            async with listen(client.session, resource_subscriptions=["file:///x"]) as events:
                gateway.leave()
                async for _ in events:
                    pass
        with pytest.raises(MCPError, match="neither keep the call alive") as raised:
            await Rounds("pay", {"amount": 6}).send(client)
        assert raised.value.data == {"reason": "cannot_wait"}
        assert await Rounds("look").send(client) is None, "may be run again elsewhere"
        assert text(await held.send(client, {"sure": {"action": "decline"}})) == "not paid"


def test_what_a_gateway_held_is_taken_up_by_the_next_one_as_far_as_that_is_safe(journal: Journal) -> None:
    with instance_of(journal, "a") as first, ThreadPoolExecutor() as threads:
        safe, unsafe = first.call("look", {}), first.call("pay", {"amount": 5})
        running_still = threads.submit(first.call, "sleep", {"seconds": 1.5})
        first.await_work()
        assert first.process is not None
        first.process.terminate()
        assert said(running_still.result()) == "slept"
        assert first.process.wait(60) == 0
        assert "2 calls that wait for an answer end with this gateway" in first.output()
    assert all(gone(pid) for pid in journal.pids)
    with instance_of(journal, "b") as second:
        assert said(second.agree("look", {}, safe)) == "seen: True"
        lost = second.agree("pay", {"amount": 5}, unsafe)["error"]
    assert lost["data"] == {"reason": "call_lost"}
    assert journal.acts == ["reserved 5"]
