"""Who a request comes from: what a fronting proxy says in a header, or the token that the SDK has verified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.request_state import authenticated_principal
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST

Context = ServerRequestContext[Any, Any]


def principal_by(header: str | None) -> Callable[[Context], str | None]:
    """How to tell the principal of a request.

    Raises (when called):
        MCPError: the header is to be there, once, and is not.
    """
    if header is None:
        return authenticated_principal

    def named(ctx: Context) -> str | None:
        headers = getattr(ctx.request, "headers", None)
        values = headers.getlist(header) if headers is not None else []
        if len(values) != 1 or not values[0].strip():
            raise MCPError(
                INVALID_REQUEST,
                f"This gateway wants to be told who asks: the proxy in front must send {header} once",
            )
        return f"{header.lower()}:{values[0].strip()}"

    return named
