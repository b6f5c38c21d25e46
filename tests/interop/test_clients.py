"""Foreign clients against adapted handlers: each is asked, answers, and gets its result, on both protocols.

Modern clients call three instances behind a front that keeps no session, so a flow's rounds land on different
ones. A legacy session lives in one process, so legacy clients call one instance, as they always had to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client as FastMCPClient
from fastmcp.client.transports import StdioTransport
from mcp import Client, StdioServerParameters
from mcp.types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ListRootsResult,
    Root,
    TextContent,
)

from interop.fleet import Fleet, running_fleet
from interop.ledger import Ledger
from mrtr_adapter.keys import new_key
from needs import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.client import ClientRequestContext

HERE = Path(__file__).parent
MODERN, LEGACY = "2026-07-28", "2025-11-25"

ANSWERS: dict[str, dict[str, Any]] = {
    "Where does vase go?": {"city": "Oslo"},
    "Send vase to Oslo by express?": {"express": True},
    "Insure vase to Oslo by express?": {"insured": True},
}
SHIP = {"order": "vase", "fragile": True}
SHIPPED = "vase to Oslo by express, insured"
MODEL_SAYS, ROOT = "Fragile glass", "file:///depot"
DESCRIBED = "Fragile glass for file:///depot"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("clients")) as fleet:
        yield fleet


@pytest.fixture
def stdio_server(tmp_path: Path) -> StdioServerParameters:
    """The depot over stdio, for a client that starts it itself."""
    ledger = tmp_path / "ledger.sqlite"
    Ledger(ledger).create()
    return StdioServerParameters(
        command=sys.executable,
        args=[str(HERE / "depot_server.py"), "stdio", str(ledger)],
        env={**os.environ, "MRTR_KEYS": new_key()},
    )


def url(fleet: Fleet, version: str) -> str:
    return fleet.front.url if version == MODERN else fleet.instances[0].url


@dataclass
class User:
    """Answers what it is asked, and keeps what that was."""

    asked: list[str] = field(default_factory=list)

    async def elicit(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult(action="accept", content=ANSWERS[params.message])

    async def elicit_for_fastmcp(self, message: str, *_: object) -> dict[str, Any]:
        self.asked.append(message)
        return ANSWERS[message]

    async def sample(
        self, context: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult:
        prompt = params.messages[0].content
        self.asked.append(prompt.text if isinstance(prompt, TextContent) else "?")
        return CreateMessageResult(
            role="assistant", model="none", content=TextContent(type="text", text=MODEL_SAYS)
        )

    async def roots(self, context: ClientRequestContext) -> ListRootsResult:
        self.asked.append("roots")
        return ListRootsResult(roots=[Root(uri=ROOT)])


def sdk_client(server: str | StdioServerParameters, version: str, user: User) -> Client:
    return Client(
        server,
        mode="auto" if version == MODERN else "legacy",
        elicitation_callback=user.elicit,
        sampling_callback=user.sample,
        list_roots_callback=user.roots,
    )


@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_python_sdk_over_http(fleet: Fleet, version: str) -> None:
    await check_sdk_client(url(fleet, version), version)


@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_python_sdk_over_stdio(stdio_server: StdioServerParameters, version: str) -> None:
    await check_sdk_client(stdio_server, version)


async def check_sdk_client(server: str | StdioServerParameters, version: str) -> None:
    user = User()
    async with sdk_client(server, version, user) as client:
        assert client.protocol_version == version
        shipped = await client.call_tool("ship", SHIP)
        assert shipped.content == [TextContent(type="text", text=SHIPPED)]
        assert user.asked == list(ANSWERS)
        user.asked.clear()
        described = await client.call_tool("describe", {"order": "vase"})
        assert described.content == [TextContent(type="text", text=DESCRIBED)]
        assert sorted(user.asked) == ["Describe vase", "roots"]


@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_fastmcp_over_http(fleet: Fleet, version: str) -> None:
    await check_fastmcp_client(url(fleet, version), version)


@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_fastmcp_over_stdio(stdio_server: StdioServerParameters, version: str) -> None:
    transport = StdioTransport(stdio_server.command, stdio_server.args, env=stdio_server.env)
    await check_fastmcp_client(transport, version)


async def check_fastmcp_client(server: str | StdioTransport, version: str) -> None:
    user = User()
    mode = "auto" if version == MODERN else "legacy"
    async with FastMCPClient(server, mode=mode, elicitation_handler=user.elicit_for_fastmcp) as client:
        result = await client.call_tool("ship", SHIP)
        assert client.protocol_version == version
    assert result.content == [TextContent(type="text", text=SHIPPED)]
    assert user.asked == list(ANSWERS)


@pytest.mark.parametrize("version", [MODERN, LEGACY])
def test_typescript_sdk_over_http(fleet: Fleet, version: str) -> None:
    check_typescript_client({"url": url(fleet, version)}, version)


@pytest.mark.parametrize("version", [MODERN, LEGACY])
def test_typescript_sdk_over_stdio(stdio_server: StdioServerParameters, version: str) -> None:
    server = {"command": [stdio_server.command, *stdio_server.args], "env": stdio_server.env}
    check_typescript_client(server, version)


def check_typescript_client(server: dict[str, Any], version: str) -> None:
    assert call_in_typescript(server, version, "ship", SHIP) == {
        "version": version,
        "asked": list(ANSWERS),
        "text": SHIPPED,
    }
    described = call_in_typescript(server, version, "describe", {"order": "vase"})
    assert sorted(described.pop("asked")) == ["Describe vase", "roots"]
    assert described == {"version": version, "text": DESCRIBED}


def call_in_typescript(
    server: dict[str, Any], version: str, tool: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Run node/call.mjs, which prints the protocol version, what it was asked, and the result's text."""
    call = {
        **server,
        "version": version,
        "tool": tool,
        "arguments": arguments,
        "elicitations": ANSWERS,
        "sampling": MODEL_SAYS,
        "root": ROOT,
    }
    command = [needs("node"), str(HERE / "node" / "call.mjs")]
    run = subprocess.run(
        command, input=json.dumps(call), capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    printed: dict[str, Any] = json.loads(run.stdout)
    return printed
