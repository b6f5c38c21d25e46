"""`adapt` takes a FastMCP server, once and without touching others."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import requires
from types import SimpleNamespace
from typing import Any

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import ToolError
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from adapter.fastmcp.servers import TRUE, adapted, serving
from adapter.rounds import KEY, always, call, play_tool
from mrtr_adapter import adapt
from mrtr_adapter.binding import versions
from mrtr_adapter.binding.middleware import ReplayMiddleware

pytestmark = pytest.mark.anyio


async def confirm(ctx: Context) -> str:
    sure = await ctx.elicit("Sure?", bool)
    return sure.action


def test_it_gives_the_same_server_back() -> None:
    server = FastMCP("test")
    assert adapt(server) is server


def test_adapted_again_it_is_adapted_once() -> None:
    server = FastMCP("test")
    adapt(server)
    before = [type(entry) for entry in server._mcp_server.middleware]
    adapt(server, max_rounds=3)
    after = server._mcp_server.middleware
    assert [type(entry) for entry in after] == before
    (replaying,) = [entry for entry in after if isinstance(entry, ReplayMiddleware)]
    assert replaying.terms.max_rounds == 3


async def test_handlers_may_be_added_afterwards() -> None:
    server = FastMCP("test")
    low = adapted(server)
    server.tool(confirm)
    assert (await play_tool(lambda: low, "confirm", always(TRUE))).text == "accept"


async def test_a_server_that_is_not_adapted_is_as_it_was() -> None:
    adapt(FastMCP("adapted"))
    plain = FastMCP("plain")
    plain.tool(confirm)
    async with Client(plain) as client:
        with pytest.raises(ToolError, match="unavailable on 2026-07-28"):
            await client.call_tool("confirm")


async def test_a_client_in_a_handler_does_not_ask_the_handlers_client() -> None:
    """Another server in this process, called from a handler, has its own client to ask."""
    inner = FastMCP("inner")
    inner.tool(confirm)

    async def outer() -> str:
        async with Client(inner) as client:
            return str((await client.call_tool("confirm", raise_on_error=False)).content[0].text)

    result = await call(serving(outer)(), "outer")
    assert "unavailable on 2026-07-28" in result["content"][0]["text"]


async def test_an_owners_policy_is_kept() -> None:
    policy = RequestStateSecurity(keys=["owner" * 8], ttl=30)
    server = FastMCP("test", request_state_security=policy)
    with pytest.raises(ValueError, match="request_state_security"):
        adapt(server, keys=[KEY])
    adapt(server)
    (boundary,) = [e for e in server._mcp_server.middleware if isinstance(e, RequestStateBoundary)]
    assert boundary._security.codec is policy.codec
    assert boundary._security.ttl == 30


async def test_instances_without_a_name_take_each_others_state() -> None:
    def make() -> Any:
        server: FastMCP[Any] = FastMCP()
        server.tool(confirm)
        return adapted(server)

    assert (await play_tool(make, "confirm", always(TRUE))).text == "accept"


@pytest.mark.parametrize("method", ["elicit", "sample", "sample_step", "list_roots"])
async def test_in_a_background_task_an_ask_says_that_it_cannot_be_put(method: str) -> None:
    server = FastMCP("test")
    adapt(server)
    context = Context(server, task_id="t1")
    with pytest.raises(ToolError, match="can't ask the client in a background task: register the tool"):
        await getattr(context, method)(*(["x"] if method != "list_roots" else []))


def test_fastmcp_is_imported_for_a_fastmcp_server_only() -> None:
    code = (
        "import sys; from mcp.server.mcpserver import MCPServer; from mrtr_adapter import adapt; "
        "adapt(MCPServer('plain')); print('fastmcp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("distribution", "installed"),
    [
        ("fastmcp", "3.4.11"),
        ("fastmcp", "4.0.5"),
        ("fastmcp", "5.0.0"),
        ("fastmcp", "unknown"),
        ("mcp", "1.30.0"),
        ("mcp", "2.0.1"),
        ("mcp", "3.0"),
    ],
)
def test_another_version_is_refused_with_the_command_that_helps(
    distribution: str, installed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest, beyond = versions.SUPPORTED[distribution]
    found = {"fastmcp": "4.2.3", "mcp": "2.3.0", distribution: installed}
    monkeypatch.setattr(versions, "version", found.__getitem__)
    with pytest.raises(versions.UnsupportedVersion) as refused:
        adapt(FastMCP("test"))
    assert str(refused.value) == (
        f"mrtr works with {distribution} >= {oldest} and < {beyond}, and {installed} is installed: "
        f"pip install '{distribution}>={oldest},<{beyond}'"
    )


def test_without_the_sdks_version_2_the_import_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "version", lambda _: "1.30.0")
    with pytest.raises(versions.UnsupportedVersion, match=r"mcp >= 2.1 and < 3, and 1.30.0 is installed"):
        from mrtr_adapter import adapt  # noqa: F401


@pytest.mark.parametrize("installed", ["4.0.6", "4.99.1", "4.3.0b1"])
def test_the_oldest_and_all_newer_ones_of_fastmcp_4_are_supported(
    installed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "version", {"fastmcp": installed, "mcp": "2.3.0"}.__getitem__)
    adapt(FastMCP("test"))


def test_something_that_only_looks_like_one_is_no_server() -> None:
    with pytest.raises(TypeError, match=r"a FastMCP of fastmcp >= 4, not types\.SimpleNamespace"):
        adapt(SimpleNamespace(_mcp_server=None))


def test_the_versions_that_are_checked_are_the_versions_that_are_declared() -> None:
    declared = {one.replace(" ", "") for one in requires("mrtr") or ()}
    for distribution, (oldest, beyond) in versions.SUPPORTED.items():
        bounds = {f"{distribution}>={oldest},<{beyond}", f"{distribution}<{beyond},>={oldest}"}
        assert bounds & {one.partition(";")[0] for one in declared}
