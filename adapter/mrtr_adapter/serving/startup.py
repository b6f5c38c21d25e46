"""What a server says when it starts, or fails to."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Startup:
    """Calls `ready` once the application has started, and tells a failed start in one line.

    Starlette would hand on the whole traceback of the server's lifespan.
    """

    def __init__(self, app: ASGIApp, ready: Callable[[], None]) -> None:
        self.app = app
        self.ready = ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return

        async def told(message: Message) -> None:
            if message["type"] == "lifespan.startup.failed":
                lines = message.get("message", "").strip().splitlines() or ["no reason given"]
                message = {**message, "message": f"The server's own startup (lifespan) failed: {lines[-1]}"}
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                self.ready()

        await self.app(scope, receive, told)
