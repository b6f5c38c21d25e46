"""Old servers by the SDKs of their time, and what is called on each of them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp import StdioServerParameters

from interop.clients import LEGACY, Call, Seen, User, python_sdk
from interop.serving import free_port
from needs import NODE_MODULES, needs

SCRIPTS = Path(__file__).parent / "counterparts"
EVERYTHING = NODE_MODULES / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
START_SECONDS = 60.0


@dataclass(frozen=True)
class Counterpart:
    """Args:
    program: what runs it, by its name among the `needs` of a test.
    script: takes `stdio`, or a port if it `speaks_http`.
    """

    name: str
    program: str
    script: Path
    calls: list[Call]
    speaks_http: bool = False

    @property
    def command(self) -> list[str]:
        return [needs(self.program), str(self.script), "stdio"]

    async def direct(self) -> list[Seen]:
        """What its calls show on a connection of its own time."""
        if self.name not in _direct:
            _direct[self.name] = self.settled(await python_sdk(stdio(self.command), LEGACY, USER, self.calls))
        return _direct[self.name]

    def settled(self, seen: list[Seen]) -> list[Seen]:
        """What is asked at once comes in any order. The reference server asks for roots by itself, right after it
        started: that belongs to no call."""
        for call, one in zip(self.calls, seen, strict=True):
            one.asked = sorted(one.asked)
            if self.script == EVERYTHING:
                one.asked = [asked for asked in one.asked if asked != "roots"]
                one.asked += ["roots"] * (call.target == "get-roots-list")
        return seen

    @contextmanager
    def over_http(self, log: Path) -> Iterator[str]:
        """The server while it runs over HTTP: its URL."""
        port = free_port()
        command = [*self.command[:-1], str(port)]
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


_direct: dict[str, list[Seen]] = {}


def stdio(command: list[str]) -> StdioServerParameters:
    path = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return StdioServerParameters(command=command[0], args=command[1:], env=path)


def wrapped(command: list[str], *options: str) -> StdioServerParameters:
    return stdio([sys.executable, "-m", "mrtr_adapter.cli", "wrap", *options, "--", *command])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


USER = User(
    forms={
        "Where does Ada go?": {"city": "Oslo"},
        "Send Ada to Oslo?": {"sure": True},
        "Where does Ada plan to go?": {"city": "Bern"},
        "Where does Ada live?": {"city": "Rome"},
        "Which map for Ada?": {"city": "Lima"},
        "What is the cat called?": {"value": "Tom"},
        "Which colour?": {"value": "black"},
        "How bright?": {"level": 3},
        "Please provide inputs for the following fields:": {"name": "Ada"},
    },
    model_says="well done",
    root="file:///work",
    model_calls_with={"name": "Oslo"},
)
PETS = [
    Call("tools/call", "adopt", {"kind": "cat"}),
    Call("tools/call", "describe"),
    Call("tools/call", "weigh"),
    Call("tools/call", "feed", {"amount": 3}),
]
TRIPS = [
    Call("tools/call", "add", {"a": 1, "b": 2}),
    Call("tools/call", "book", {"person": "Ada"}),
    Call("tools/call", "praise"),
    Call("tools/call", "forecast"),
    Call("tools/call", "plan", {"person": "Ada"}),
    Call("tools/call", "where"),
    Call("tools/call", "login"),
    Call("prompts/get", "letter", {"person": "Ada"}),
    Call("resources/read", "map://Ada"),
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
COUNTERPARTS = {
    counterpart.name: counterpart
    for counterpart in (
        Counterpart("mcp-1-fastmcp", "fastmcp3", SCRIPTS / "sdk_fastmcp.py", TRIPS, speaks_http=True),
        Counterpart("mcp-1-low-level", "fastmcp3", SCRIPTS / "sdk_lowlevel.py", LIGHTS),
        Counterpart("fastmcp-2", "fastmcp2", SCRIPTS / "fastmcp_pets.py", PETS, speaks_http=True),
        Counterpart("fastmcp-3", "fastmcp3", SCRIPTS / "fastmcp_pets.py", PETS, speaks_http=True),
        Counterpart("reference", "node", EVERYTHING, REFERENCE),
    )
}
