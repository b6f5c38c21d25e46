"""A load balancer that keeps no session with an instance: each request goes to the next one.

    python front.py PORT URL…

An instance that cannot be reached is passed over: the request has not left yet. A connection that breaks
later becomes 502, since the front cannot know what the instance has done by then; it is the client that may
send again.
"""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from itertools import cycle
from typing import TYPE_CHECKING

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

HOP_BY_HOP = {"connection", "content-length", "host", "keep-alive", "transfer-encoding"}
ONE_CONNECTION_A_REQUEST = httpx2.Limits(max_connections=None, max_keepalive_connections=0)


def round_robin(backends: list[str]) -> Starlette:
    """Return an application that passes each request for /mcp on to the next of `backends`."""
    turns = cycle(backends)
    client = httpx2.AsyncClient(limits=ONE_CONNECTION_A_REQUEST, timeout=60)

    async def forward(request: Request) -> Response:
        body = await request.body()
        headers = [(name, value) for name, value in request.headers.items() if name not in HOP_BY_HOP]
        for _ in backends:
            outgoing = client.build_request(request.method, next(turns), headers=headers, content=body)
            try:
                answer = await client.send(outgoing, stream=True)
            except httpx2.ConnectError:
                continue
            except httpx2.TransportError:
                return Response("The instance went away.", 502)
            return _pass_on(answer)
        return Response("No instance can be reached.", 503)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    return Starlette(
        routes=[Route("/mcp", forward, methods=["GET", "POST", "DELETE"])],
        lifespan=lifespan,
    )


def _pass_on(answer: httpx2.Response) -> Response:
    headers = {name: value for name, value in answer.headers.items() if name not in HOP_BY_HOP}
    return StreamingResponse(_body(answer), answer.status_code, headers)


async def _body(answer: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in answer.aiter_raw():
            yield chunk
    finally:
        await answer.aclose()


if __name__ == "__main__":
    uvicorn.run(round_robin(sys.argv[2:]), port=int(sys.argv[1]), access_log=False)
