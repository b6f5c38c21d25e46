"""Servers behind the proxies of an adapted FastMCP server ask its client, however they ask and wherever they run."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.client.transports import PythonStdioTransport
from fastmcp.server import create_proxy
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

from adapter.fastmcp.servers import TRUE, adapted, says
from adapter.rounds import NO, Played, always, in_turn, play, play_tool, send
from interop.serving import free_port
from needs import needs

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

OLD_SERVER = """
from fastmcp import Context, FastMCP

server = FastMCP("old")


@server.tool
async def drop(table: str, ctx: Context) -> str:
    sure = await ctx.elicit(f"Drop {table}?", bool)
    if sure.action != "accept" or not sure.data:
        return "kept"
    why = await ctx.sample(f"Why drop {table}?")
    where = await ctx.list_roots()
    return f"dropped {table} in {where[0].uri}: {why.text}"


@server.prompt
async def regret(table: str, ctx: Context) -> str:
    how = await ctx.elicit(f"How sorry for {table}?", ["very", "little"])
    return f"{how.data} sorry for {table}"


if __name__ == "__main__":
    import sys

    if sys.argv[1:]:
        server.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
    else:
        server.run("stdio", show_banner=False)
"""


def behind(backend: Any) -> Callable[[], Any]:
    """Makes an adapted server with a proxy for the backend mounted under `db`."""

    def make() -> Any:
        front = FastMCP("front")
        front.mount(create_proxy(backend), "db")
        return adapted(front)

    return make


async def drop(make: Callable[[], Any], *answers: dict[str, Any]) -> Played:
    return await play_tool(make, "db_drop", in_turn(*answers), {"table": "t"})


ROOTS = {"roots": [{"uri": "file:///srv"}]}


@pytest.fixture(scope="module")
def old_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("old") / "old.py"
    file.write_text(OLD_SERVER)
    return file


@contextmanager
def listening(python: str, file: Path) -> Iterator[str]:
    """The URL of a server file, while it runs."""
    port = free_port()
    process = subprocess.Popen([python, str(file), str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, f"{file} has ended"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def old_url(old_file: Path) -> Iterator[str]:
    with listening(needs("fastmcp3"), old_file) as url:
        yield url


@pytest.fixture(params=["in this process", "over HTTP, on FastMCP 3"])
def old_backend(request: pytest.FixtureRequest, old_file: Path) -> Any:
    if request.param != "in this process":
        return request.getfixturevalue("old_url")
    namespace: dict[str, Any] = {"__name__": "old"}
    exec(compile(OLD_SERVER, str(old_file), "exec"), namespace)
    return namespace["server"]


async def test_an_old_server_asks_through_the_proxy(old_backend: Any) -> None:
    played = await drop(behind(old_backend), TRUE, says("it is old"), ROOTS)
    assert played.text == "dropped t in file:///srv: it is old"
    assert [request["method"] for asked in played.rounds for request in asked.values()] == [
        "elicitation/create",
        "sampling/createMessage",
        "roots/list",
    ]


async def test_what_is_declined_is_declined_behind_it(old_backend: Any) -> None:
    assert (await drop(behind(old_backend), NO)).text == "kept"


async def test_its_prompts_ask_as_well(old_backend: Any) -> None:
    params = {"name": "db_regret", "arguments": {"table": "t"}}
    very = always({"action": "accept", "content": {"value": "very"}})
    played = await play(behind(old_backend), "prompts/get", params, very)
    assert played.result["messages"][0]["content"]["text"] == "very sorry for t"


async def test_its_tools_are_listed(old_backend: Any) -> None:
    listed = await send(behind(old_backend)(), "tools/list", {})
    assert [tool["name"] for tool in listed["tools"]] == ["db_drop"]


async def test_a_server_in_step_form_passes_its_rounds_on() -> None:
    backend = FastMCP("steps")

    @backend.tool
    async def drop(table: str, ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses is None:
            schema: dict[str, Any] = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
            ask = ElicitRequest(
                params=ElicitRequestFormParams(message=f"Drop {table}?", requested_schema=schema)
            )
            return InputRequiredResult(input_requests={"ok": ask}, request_state=f"asked about {table}")
        return f"{ctx.input_responses['ok'].action}, {ctx.request_state}"  # type: ignore[union-attr]

    played = await play_tool(behind(backend), "db_drop", always(NO), {"table": "t"})
    assert played.asked == ["Drop t?"]
    assert played.text == "decline, asked about t"


async def test_one_over_stdio_asks_as_well(old_file: Path) -> None:
    backend = PythonStdioTransport(old_file, python_cmd=needs("fastmcp3"), keep_alive=False)
    assert (await drop(behind(backend), NO)).text == "kept"


async def test_several_servers_of_a_configuration_ask_alike(old_url: str, tmp_path: Path) -> None:
    file = tmp_path / "new.py"
    file.write_text(OLD_SERVER.replace("server.run(", "__import__('mrtr_adapter').adapt(server).run("))
    with listening(sys.executable, file) as new_url:
        both = {"mcpServers": {"old": {"url": old_url}, "new": {"url": new_url}}}
        for name in ("old", "new"):
            played = await play_tool(
                lambda: adapted(create_proxy(both)), f"{name}_drop", always(NO), {"table": name}
            )
            assert (played.asked, played.text) == ([f"Drop {name}?"], "kept")
