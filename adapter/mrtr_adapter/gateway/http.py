"""Gateways over HTTP, each behind a path of its own, and `/healthz`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from mrtr_adapter.gateway.gateway import Gateway, running
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.gateway.tokens import TokenRules


def application(servers: Mapping[str, Settings], host: str) -> ASGIApp:
    """An application that serves each of these at its path, such as `/mcp`, while its lifespan lasts.

    Args:
        servers: by path.
        host: where it listens; on the loopback, requests with another Host or Origin are refused (DNS rebinding).
    """
    gateways: dict[str, Gateway] = {}

    async def healthz(request: Request) -> JSONResponse:
        """200 while every gateway has a session or can expect to get one, else 503."""
        healthy = bool(gateways) and all(gateway.pool.healthy for gateway in gateways.values())
        counts = {path: gateway.counts for path, gateway in gateways.items()}
        return JSONResponse({"healthy": healthy, "servers": counts}, status_code=200 if healthy else 503)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for path, settings in servers.items():
                gateway = await stack.enter_async_context(running(settings))
                inner = _application(gateway, settings.tokens, path, host)
                await stack.enter_async_context(inner.router.lifespan_context(inner))
                # As a whole: what checks tokens is its middleware.
                app.router.routes.extend(
                    Route(route.path, inner) for route in inner.routes if isinstance(route, Route)
                )
                gateways[path] = gateway
            yield

    return Starlette(routes=[Route("/healthz", healthz)], lifespan=lifespan)


def _application(gateway: Gateway, tokens: TokenRules | None, path: str, host: str) -> Starlette:
    """Raises `CannotServe` if tokens can't be verified in this way."""
    return gateway.front.streamable_http_app(
        streamable_http_path=path,
        host=host,
        auth=tokens.auth() if tokens else None,
        token_verifier=tokens.verifier() if tokens else None,
    )
