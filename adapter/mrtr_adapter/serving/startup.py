"""What a server says when it starts, or fails to."""

from __future__ import annotations

import sys
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mrtr_adapter.serving.refusal import CannotServe, told


class Startup:
    """Calls `ready` once the application has started, or `failed` with one line that says why it has not.

    Starlette would hand on the whole traceback of the server's lifespan.
    """

    def __init__(self, app: ASGIApp, ready: Callable[[], None], failed: Callable[[str], None]) -> None:
        self.app = app
        self.ready = ready
        self.failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return

        async def tell(message: Message) -> None:
            if message["type"] == "lifespan.startup.failed":
                self.failed(_reason(message))
                message = {**message, "message": ""}
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                self.ready()

        await self.app(scope, receive, tell)


def _reason(message: Message) -> str:
    error = sys.exc_info()[1]  # Starlette sends this while it handles it
    if isinstance(error, CannotServe):
        return str(error)
    lines = message.get("message", "").strip().splitlines() or ["no reason given"]
    why = told(error) if error is not None else lines[-1]
    return f"the server's own startup (lifespan) failed: {why}: mend it there"
