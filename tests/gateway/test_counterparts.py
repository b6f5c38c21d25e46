"""Real old servers behind the gateway, driven by real clients: each sees what a direct older connection shows."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from interop.clients import LEGACY, MODERN, Call, Seen, Server, User, fastmcp, python_sdk, typescript_sdk
from interop.serving import free_port
from needs import NODE_MODULES, needs

pytestmark = pytest.mark.anyio

Drive = Callable[[Server, str, User, list[Call]], Awaitable[list[Seen]]]
COUNTERPARTS = Path(__file__).parent / "counterparts"
EVERYTHING = NODE_MODULES / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
START_SECONDS = 60.0

TRIPS = [
    Call("tools/call", "add", {"a": 1, "b": 2}),
    Call("tools/call", "book", {"person": "Ada"}),
    Call("tools/call", "praise"),
    Call("tools/call", "where"),
    Call("tools/call", "login"),
    Call("prompts/get", "letter", {"person": "Ada"}),
    Call("resources/read", "map://Ada"),
]
PETS = [
    Call("tools/call", "adopt", {"kind": "cat"}),
    Call("tools/call", "describe"),
    Call("tools/call", "feed", {"amount": 3}),
]
LIGHTS = [Call("tools/call", "dim", {"lamp": "hall"})]
REFERENCE = [
    Call("tools/call", "echo", {"message": "hello"}),
    Call("tools/call", "get-sum", {"a": 1, "b": 2}),
    Call("tools/call", "get-structured-content", {"location": "Chicago"}),
    Call("tools/call", "trigger-elicitation-request"),
    Call("tools/call", "trigger-sampling-request", {"prompt": "Say hi"}),
    Call("tools/call", "get-roots-list"),
    Call("tools/call", "trigger-url-elicitation", {"url": "https://example.com/a", "elicitationId": "e-1"}),
    Call("prompts/get", "simple-prompt"),
    Call("resources/read", "demo://resource/static/document/architecture.md"),
]
USER = User(
    forms={
        "Where does Ada go?": {"city": "Oslo"},
        "Send Ada to Oslo?": {"sure": True},
        "Where does Ada live?": {"city": "Rome"},
        "Which map for Ada?": {"city": "Lima"},
        "What is the cat called?": {"value": "Tom"},
        "Which colour?": {"value": "black"},
        "How bright?": {"level": 3},
        "Please provide inputs for the following fields:": {"name": "Ada"},
    },
    model_says="well done",
    root="file:///work",
)

SERVERS = {
    "mcp-1-fastmcp": ("sdk_fastmcp.py", TRIPS),
    "mcp-1-low-level": ("sdk_lowlevel.py", LIGHTS),
    "fastmcp-3": ("fastmcp3.py", PETS),
}


def stdio(command: str, *arguments: str) -> StdioServerParameters:
    path = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return StdioServerParameters(command=command, args=list(arguments), env=path)


def wrapped(*options: str) -> StdioServerParameters:
    return stdio(sys.executable, "-m", "mrtr_adapter.cli", "wrap", *options)


def settled(seen: list[Seen], calls: list[Call]) -> list[Seen]:
    """What the old server asks by itself right after it started belongs to no call."""
    for call, one in zip(calls, seen, strict=True):
        if call.target != "get-roots-list" and call.target != "where":
            one.asked = [asked for asked in one.asked if asked != "roots"]
        elif "roots" in one.asked or call.target == "get-roots-list":
            one.asked = ["roots"]
    return seen


@pytest.mark.parametrize("options", [(), ("--hold", "0", "--replay", "all")], ids=["hold", "replay"])
@pytest.mark.parametrize("name", SERVERS)
async def test_python_servers_over_stdio(name: str, options: tuple[str, ...]) -> None:
    script, calls = SERVERS[name]
    old = (needs("fastmcp3"), str(COUNTERPARTS / script), "stdio")
    direct = await python_sdk(stdio(*old), LEGACY, USER, calls)
    assert await python_sdk(wrapped(*options, "--", *old), MODERN, USER, calls) == direct


@pytest.mark.parametrize("name", ["mcp-1-fastmcp", "fastmcp-3"])
async def test_python_servers_over_http(name: str, tmp_path: Path) -> None:
    script, calls = SERVERS[name]
    with over_http(script, tmp_path / "log") as url:
        direct = await python_sdk(url, LEGACY, USER, calls)
        assert await python_sdk(wrapped("--url", url), MODERN, USER, calls) == direct


@pytest.mark.parametrize("drive", [python_sdk, typescript_sdk, fastmcp])
@pytest.mark.parametrize("options", [(), ("--hold", "0", "--replay", "all")], ids=["hold", "replay"])
async def test_the_reference_server(drive: Drive, options: tuple[str, ...]) -> None:
    old = (needs("node"), str(EVERYTHING), "stdio")
    direct = settled(await drive(stdio(*old), LEGACY, USER, REFERENCE), REFERENCE)
    through = settled(await drive(wrapped(*options, "--", *old), MODERN, USER, REFERENCE), REFERENCE)
    assert through == direct


async def test_older_clients_of_the_reference_server() -> None:
    old = (needs("node"), str(EVERYTHING), "stdio")
    direct = settled(await python_sdk(stdio(*old), LEGACY, USER, REFERENCE), REFERENCE)
    assert settled(await python_sdk(wrapped("--", *old), LEGACY, USER, REFERENCE), REFERENCE) == direct


@contextmanager
def over_http(script: str, log: Path) -> Iterator[str]:
    """An old server over HTTP while it runs: its URL."""
    port = free_port()
    command = [needs("fastmcp3"), str(COUNTERPARTS / script), str(port)]
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _listens(port):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
