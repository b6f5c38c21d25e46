"""The least that a proxy can be: the SDK's server in front, and tool calls passed on to an old server as they are.

`python forwarding.py COMMAND…`. No client with questions, one session, nothing bounded, nothing checked: what it costs
is what the SDK and two more pipes cost.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from typing import Any

import anyio
from anyio.abc import Process
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, PaginatedRequestParams

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "forwarding", "version": "1"},
}


class Behind:
    def __init__(self, process: Process) -> None:
        self.process = process
        self._ids = itertools.count(1)
        self._there: dict[int, tuple[anyio.Event, dict[str, Any]]] = {}

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = next(self._ids)
        there, reply = self._there[number] = anyio.Event(), {}
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        assert self.process.stdin is not None
        await self.process.stdin.send(json.dumps(message).encode() + b"\n")
        await there.wait()
        return dict(reply["result"])

    async def read(self) -> None:
        assert self.process.stdout is not None
        received = b""
        while True:
            received += await self.process.stdout.receive()
            *lines, received = received.split(b"\n")
            for message in map(json.loads, lines):
                there, reply = self._there.pop(message["id"])
                reply.update(message)
                there.set()


async def main() -> None:
    process = await anyio.open_process(
        sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None
    )
    behind = Behind(process)
    front = Server("forwarding")

    async def forward(ctx: Any, params: object) -> dict[str, Any]:
        kept = {name: value for name, value in ctx.params.items() if name != "_meta"}
        cached = {"ttlMs": 0, "cacheScope": "private"} if ctx.method == "tools/list" else {}
        return {**await behind.request(ctx.method, kept), "resultType": "complete", **cached}

    front.add_request_handler("tools/call", CallToolRequestParams, forward)
    front.add_request_handler("tools/list", PaginatedRequestParams, forward)
    async with anyio.create_task_group() as group:
        group.start_soon(behind.read)
        await behind.request("initialize", INITIALIZE)
        async with stdio_server() as (read, write):
            await front.run(read, write, front.create_initialization_options())
        process.kill()
        group.cancel_scope.cancel()


if __name__ == "__main__":
    anyio.run(main)
