"""Gateways over HTTP, each behind a path of its own, and `/healthz`."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskStatus
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mrtr_adapter.gateway.gateway import Gateway, running
from mrtr_adapter.gateway.groups import one_error
from mrtr_adapter.gateway.health import DOWN, Health, overall
from mrtr_adapter.gateway.named import Misnamed
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.serving.refusal import CannotServe

logger = logging.getLogger("mrtr")

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two attempts to begin with an old server that could not be used when the gateway started."""


class Places:
    """Old servers by the paths that they are served at, while the lifespan of `app` lasts.

    If some of them can't be used at the start, the others are served meanwhile; if none can, or one of them is told to
    treat a tool specially that it does not have, the start fails with `CannotServe`.

    Args:
        servers: by path, such as `/mcp`.
        host: where it listens; on the loopback, requests with another Host or Origin are refused (DNS rebinding).
    """

    def __init__(self, servers: Mapping[str, Settings], host: str) -> None:
        self.app = Starlette(routes=[Route("/healthz", self._healthz)], lifespan=self._lifespan)
        self._places = {path: _Place(path, settings, host) for path, settings in servers.items()}
        for path, place in self._places.items():
            self._route(path, place)

    def _route(self, path: str, place: _Place) -> None:
        if path not in [route.path for route in self.app.router.routes if isinstance(route, Route)]:
            self.app.router.routes.append(Route(path, place))

    def leave(self) -> None:
        """The end is near: streams end, and no more calls are held. Calls that run may come to their end."""
        for place in self._places.values():
            if place.gateway is not None:
                place.gateway.leave()

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with one_error(), anyio.create_task_group() as group:
            async with anyio.create_task_group() as starting:
                for place in self._places.values():
                    starting.start_soon(group.start, place.serve, self._route)
            down = {path: place for path, place in self._places.items() if place.gateway is None}
            in_the_way = {path: place for path, place in down.items() if place.misnamed}
            if in_the_way or len(down) == len(self._places):
                raise CannotServe(_told(in_the_way or down))
            for place in down.values():
                place.log_trouble()
            yield
            group.cancel_scope.cancel()

    async def _healthz(self, request: Request) -> JSONResponse:
        """200 while at least one of the servers can be used, else 503."""
        health = {path: place.health for path, place in self._places.items()}
        status = overall([str(one["status"]) for one in health.values()])
        return JSONResponse({"status": status, "servers": health}, status_code=503 if status == DOWN else 200)


def _told(places: Mapping[str, _Place]) -> str:
    """What keeps these from being served."""
    if list(places) == ["/mcp"]:
        return places["/mcp"].trouble
    return "; ".join(f"{path}: {place.trouble}" for path, place in places.items())


AddRoute = Callable[[str, "_Place"], None]


class _Place:
    """One path, and the gateway that serves it once there is one. An ASGI application."""

    def __init__(self, path: str, settings: Settings, host: str) -> None:
        self._path = path
        self._settings = settings
        self._host = host
        self._inner: Starlette | None = None
        self.gateway: Gateway | None = None
        self.trouble = ""
        self.misnamed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._inner is not None:
            await self._inner(scope, receive, send)
            return
        message = "The server behind this path can't be used yet; it is tried again soon"
        await JSONResponse({"error": message}, 503, {"Retry-After": "30"})(scope, receive, send)

    def log_trouble(self) -> None:
        logger.error("%s can't be served, and is tried again: %s", self._path, self.trouble)

    @property
    def health(self) -> Health:
        return self.gateway.health if self.gateway is not None else {"status": DOWN}

    async def serve(self, route: AddRoute, *, task_status: TaskStatus[None]) -> None:
        """Serve until cancelled. Has started after the first attempt to begin, whatever came of it.

        Args:
            route: leads other paths here, such as that of what a client has to know of access tokens.
        """
        pause = _FIRST_PAUSE
        started = False
        while True:
            try:
                async with running(self._settings, strict=not started) as gateway:
                    inner = self._application(gateway)
                    async with inner.router.lifespan_context(inner):
                        self.gateway, self._inner = gateway, inner
                        for other in inner.routes:
                            route(getattr(other, "path", self._path), self)
                        if not started:
                            task_status.started()
                        await anyio.sleep_forever()
            except CannotServe as error:
                self.trouble, self.misnamed = str(error), isinstance(error, Misnamed)
                if started:
                    self.log_trouble()
            if not started:
                task_status.started()
                started = True
            await anyio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _application(self, gateway: Gateway) -> Starlette:
        tokens = self._settings.tokens
        return gateway.front.streamable_http_app(
            streamable_http_path=self._path,
            host=self._host,
            auth=tokens.auth() if tokens else None,
            token_verifier=tokens.verifier() if tokens else None,
        )
