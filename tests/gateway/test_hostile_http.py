"""Old servers over HTTP that send without end: the call ends all the same."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from adapter.check.serving import served
from gateway.behind import client_of, running
from mrtr_adapter.gateway import answers, remote
from mrtr_adapter.gateway.pool import PoolLimits
from mrtr_adapter.gateway.remote import Endpoint
from mrtr_adapter.gateway.settings import Settings

pytestmark = pytest.mark.anyio

MOST = 1_000_000
CHUNK = b"x" * 10_000
HELLO = {
    "protocolVersion": "2025-06-18",
    "serverInfo": {"name": "old", "version": "1"},
    "capabilities": {"tools": {}},
}


async def endless(beginning: bytes) -> AsyncIterator[bytes]:
    yield beginning
    while True:
        yield CHUNK
        await anyio.sleep(0.001)  # whoever reads leaves here


def act(kind: str, number: int) -> Response:
    if kind == "json":
        return StreamingResponse(endless(b'{"jsonrpc": "2.0", "'), media_type="application/json")
    if kind == "error":
        return StreamingResponse(endless(b'{"'), 400, media_type="application/json")
    if kind == "event":
        return StreamingResponse(endless(b"data: "), media_type="text/event-stream")
    if kind == "no event":
        return StreamingResponse(endless(b""), media_type="text/event-stream")
    if kind.startswith("named "):
        reply = {"jsonrpc": "2.0", "id": number, "result": {"content": []}}
        return Response(
            json.dumps(reply),
            headers={"Content-Encoding": kind.removeprefix("named ")},
            media_type="application/json",
        )
    bomb = gzip.compress(b"[" * 10 * MOST)
    encoding = "identity, GZIP" if kind == "packed twice" else "gzip"
    return Response(bomb, media_type="application/json", headers={"Content-Encoding": encoding})


async def answer(request: Request) -> Response:
    message: dict[str, Any] = await request.json() if request.method == "POST" else {}
    if request.method != "POST":
        return Response(status_code=405)
    if "id" not in message:
        return Response(status_code=202)
    if message["method"] == "tools/call":
        return act(request.path_params["kind"], message["id"])
    result = HELLO if message["method"] == "initialize" else {"tools": []}
    body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
    return Response(body, media_type="application/json")


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    methods = ["POST", "GET", "DELETE"]
    with served(Starlette(routes=[Route("/{kind}", answer, methods=methods)])) as url:
        yield url


SAID = {
    "json": f"it sent a message of more than {MOST} bytes",
    "error": f"it sent a message of more than {MOST} bytes",
    "event": f"exceeded the {MOST} byte limit",
    "no event": f"exceeded the {MOST} byte limit",
    "packed": "it answers in gzip",
    "packed twice": "it answers in identity, GZIP",
}


@pytest.mark.parametrize("kind", SAID)
async def test_an_answer_without_end_ends_the_call(
    kind: str, hostile: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for module in (answers, remote):
        monkeypatch.setattr(module, "MAX_MESSAGE_BYTES", MOST)
    old = Settings(Endpoint(f"{hostile}/{kind}"), pool=PoolLimits(spare=0))
    async with running(old) as gateway, client_of(gateway) as client:
        with anyio.fail_after(20), pytest.raises(MCPError, match=SAID[kind]):
            await client.call_tool("act", {})
        assert (await client.list_tools()).tools == []
    assert "Traceback" not in caplog.text


async def test_a_message_of_the_largest_size_is_read(hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(json.dumps({"jsonrpc": "2.0", "id": 1, "result": HELLO}))
    monkeypatch.setattr(answers, "MAX_MESSAGE_BYTES", size)
    async with running(Settings(Endpoint(f"{hostile}/json"), pool=PoolLimits(spare=0))) as gateway:
        assert gateway.front.name == "old"


@pytest.mark.parametrize("encoding", ["Identity", "utf-8", "none"])
async def test_an_answer_that_nobody_would_unpack_is_read(encoding: str, hostile: str) -> None:
    old = Settings(Endpoint(f"{hostile}/named {encoding}"), pool=PoolLimits(spare=0))
    async with running(old) as gateway, client_of(gateway) as client:
        assert (await client.call_tool("act", {})).content == []
