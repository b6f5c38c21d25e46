"""Whatever keeps `mrtr wrap` from starting, one message tells it, with what the old server said and what to do."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adapter.check.serving import served
from adapter.cli.commands import mrtr
from gateway.behind import client_of
from interop.serving import free_port
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.gateway import running
from mrtr_adapter.gateway.pool import PoolLimits
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.serving.refusal import CannotServe

OVER = {"stdio": (), "http": ("--http", "127.0.0.1:0")}
BY_ITSELF = "run it by itself to see why; it has to speak MCP on its stdin and stdout"

CHILDREN = {
    "exits": ("raise SystemExit(3)", "has ended with status 3: "),
    "exits silently": ("pass", "has ended with status 0: "),
    "prints and exits": ("print('welcome')", "has ended with status 0 (stdout: welcome): "),
    "says why": (
        "raise SystemExit('no API_KEY')",
        "has ended with status 1 (stderr: no API_KEY): ",
    ),
    "fails at an import": (
        "import nowhere",
        "has ended with status 1 (stderr: ModuleNotFoundError: No module named 'nowhere'): ",
    ),
}


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("child", CHILDREN)
def test_a_command_that_ends_is_told_in_one_message(child: str, over: str) -> None:
    script, says = CHILDREN[child]
    ended = mrtr("wrap", *OVER[over], "--", sys.executable, "-c", script)
    ours = [line for line in ended.err.splitlines() if "mrtr" in line]
    assert (ended.status, ended.out, len(ours)) == (2, "", 1), ended.err
    assert ours[0] == ended.err.splitlines()[-1]
    assert ours[0].startswith("mrtr wrap: can't use the old server ")
    assert f"{says}{BY_ITSELF}" in ours[0]


ANSWERS = {
    "401": (Response(status_code=401, media_type="application/json"), "it answers 401 Unauthorized"),
    "404": (Response("{}", 404, media_type="application/json"), "it answers 404 Not Found"),
    "500": (Response("oh", 500), "it answers 500 Internal Server Error"),
    "page": (Response("<h1>Hi</h1>", media_type="text/html"), "it answers with text/html, which is no MCP"),
    "json": (Response("{}", media_type="application/json"), "sent what is no JSON-RPC message"),
    "redirect": (Response(status_code=301, headers={"Location": "https://b.example/mcp"}), "Redirect to"),
    "packed": (Response("?", headers={"Content-Encoding": "gzip"}), "it answers in gzip"),
    "accepted": (Response(status_code=202), "202 Accepted"),
}


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """The URL of something else than an MCP server."""

    async def answer(request: Request) -> Response:
        return ANSWERS[request.path_params["kind"]][0]

    with served(Starlette(routes=[Route("/{kind}", answer, methods=["POST"])])) as url:
        yield url


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("kind", ANSWERS)
def test_a_url_of_something_else_is_told_in_one_line(kind: str, over: str, elsewhere: str) -> None:
    ended = mrtr("wrap", *OVER[over], "--url", f"{elsewhere}/{kind}")
    assert ended.status == 2
    assert ended.line.startswith(f"mrtr wrap: can't use the old server {elsewhere}/{kind}: ")
    assert ANSWERS[kind][1] in ended.line
    assert ended.line.endswith("and what --header it wants")


@pytest.mark.parametrize("over", OVER)
def test_a_url_that_can_not_be_reached_is_told_in_one_line(over: str, elsewhere: str) -> None:
    nobody, no_tls = f"http://127.0.0.1:{free_port()}/mcp", elsewhere.replace("http:", "https:")
    for url in (nobody, no_tls, "http://no-such-host.invalid/mcp"):
        ended = mrtr("wrap", *OVER[over], "--url", url)
        assert ended.status == 2
        assert re.search(r"it can't be reached \(ConnectError: .*\): see that it runs", ended.line)


def test_a_port_that_is_taken_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = mrtr("wrap", "--http", f"127.0.0.1:{port}", "--", sys.executable)
    assert (ended.status, f"port {port} of 127.0.0.1 is taken" in ended.line) == (2, True)


def test_a_file_that_is_no_program_is_told_in_one_line(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text("")
    for command in (str(script), str(tmp_path / "nothing")):
        ended = mrtr("wrap", "--", command)
        assert ended.status == 2
        assert re.search(r"as in -- python .*server.py|give its path, or install it", ended.line)


def test_servers_of_a_file_that_all_fail_are_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "servers.toml"
    command = 'command = ["{}", "-c", "raise SystemExit({})"]\n'
    file.write_text("".join(f"[servers.s{n}]\n{command.format(sys.executable, n)}" for n in (3, 4)))
    ended = mrtr("wrap", "--http", "127.0.0.1:0", "--config", str(file))
    assert ended.status == 2
    assert "status 3" in ended.line
    assert "status 4" in ended.line


@pytest.mark.anyio
async def test_what_was_printed_before_a_start_that_takes_too_long_is_told() -> None:
    talks = Command(["sh", "-c", "echo listening on port 80; echo ready >&2; exec sleep 60"])
    with pytest.raises(CannotServe) as told:
        async with running(Settings(talks, pool=PoolLimits(start_seconds=2))):
            pass
    assert "no answer to initialize within 2 s (stdout: listening on port 80, stderr: ready): " in str(
        told.value
    )
    assert str(told.value).endswith(BY_ITSELF)


@pytest.mark.anyio
async def test_what_a_server_prints_before_it_speaks_is_logged_once_it_does(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    script = Path(__file__).with_name("old_server.py")
    late = f"seq 20 40; echo hello >&2; exec {sys.executable} {script} /dev/null"
    async with running(Settings(Command(["sh", "-c", late]))):
        pass
    said = [record.getMessage() for record in caplog.records if "such lines" in record.getMessage()]
    assert said == ["more such lines of this process are not logged"]
    assert caplog.text.count("printed a line that is no message: '2") == 10
    assert "hello" in capsys.readouterr().err


@pytest.mark.anyio
async def test_a_gateway_whose_stderr_is_gone_serves_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = Path(__file__).with_name("old_server.py")
    loud = f"echo hello >&2; exec {sys.executable} {script} /dev/null"
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as gone:
        monkeypatch.setattr(sys, "stderr", SimpleNamespace(buffer=gone))
        async with running(Settings(Command(["sh", "-c", loud]))) as gateway, client_of(gateway) as client:
            assert (await client.list_tools()).tools


@pytest.mark.anyio
async def test_what_a_server_prints_at_its_end_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    script = Path(__file__).with_name("old_server.py")
    more_than_a_pipe_holds = "head -c 300000 /dev/zero | tr '\\0' x >&2"
    talks = f"{sys.executable} {script} /dev/null; {more_than_a_pipe_holds}; echo bye >&2"
    async with running(Settings(Command(["sh", "-c", talks]), pool=PoolLimits(spare=0))):
        pass
    said = capsys.readouterr().err
    assert said.count("x") >= 300_000
    assert said.endswith("bye\n")
