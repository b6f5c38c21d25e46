"""Over HTTP, too, a token that nobody sealed gets the one frozen error, and never a 5xx."""

from __future__ import annotations

import logging
from typing import Any

import httpx2
import pytest
from mcp.server.mcpserver import Context, MCPServer

from adapter.mutants import mutants
from adapter.rounds import KEY
from adapter.servers import Ok
from interop.wire import HEADERS, META
from mrtr_adapter import adapt

pytestmark = pytest.mark.anyio
MUTANTS = 1000


async def test_no_mutant_gets_anything_but_the_frozen_error() -> None:
    runs: list[int] = []
    server = adapt(MCPServer("desk"), keys=[KEY])

    @server.tool()
    async def delete(ctx: Context) -> str:
        runs.append(1)
        sure = await ctx.elicit("Delete?", Ok)
        return sure.action

    app = server.streamable_http_app(json_response=True)
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    try:
        async with app.router.lifespan_context(app):
            transport = httpx2.ASGITransport(app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
                token = (await _call(client, {}))[1]["result"]["requestState"]
                foreign = (await _call(client, {}))[1]["result"]["requestState"]
                ran = len(runs)
                answers = {"sure": {"action": "accept", "content": {"ok": True}}}
                for mutant in mutants(token, [foreign], MUTANTS):
                    if mutant in (token, foreign):
                        continue
                    status, reply = await _call(client, {"requestState": mutant, "inputResponses": answers})
                    assert status < 500
                    assert reply["error"]["code"] == -32602
                    assert reply["error"]["message"] == "Invalid or expired requestState"
                assert len(runs) == ran
                status, reply = await _call(client, {"requestState": token, "inputResponses": answers})
                assert reply["result"]["content"][0]["text"] == "accept"
    finally:
        logging.getLogger("mcp").setLevel(logging.NOTSET)


async def _call(client: httpx2.AsyncClient, retry: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    params = {"name": "delete", "arguments": {}, "_meta": META, **retry}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    response = await client.post("/mcp", json=message, headers={**HEADERS, "Mcp-Name": "delete"})
    reply: dict[str, Any] = response.json()
    return response.status_code, reply
