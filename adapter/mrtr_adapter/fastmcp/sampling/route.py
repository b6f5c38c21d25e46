"""Who answers a sampling: the client's model, or the server's own handler (`FastMCP(sampling_handler=…)`)."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from fastmcp import Context
from mcp_types import (
    ClientCapabilities,
    CreateMessageRequestParams,
    CreateMessageResult,
    SamplingCapability,
    SamplingMessage,
    SamplingToolsCapability,
    TextContent,
)

from mrtr_adapter.fastmcp.asking import capability_ends_call

if TYPE_CHECKING:
    from mrtr_adapter.fastmcp.sampling.result import Reply

SamplingHandler: TypeAlias = Callable[
    [list[SamplingMessage], CreateMessageRequestParams, Any], "Awaitable[str | Reply] | str | Reply"
]


def own_handler(context: Context, *, with_tools: bool) -> SamplingHandler | None:
    """The server's own handler if it is to answer, None if the client is.

    Raises:
        ValueError: the client can't, and there is no handler that could. Not where the flow ends such a call.
    """
    server: Any = context.fastmcp
    handler: SamplingHandler | None = getattr(server, "sampling_handler", None)
    behavior = getattr(server, "sampling_handler_behavior", "fallback")
    if behavior not in ("always", "fallback", None):
        raise ValueError(
            f"Invalid sampling_handler_behavior: {behavior!r}. Must be 'always', 'fallback', or None."
        )
    if behavior == "always":
        if handler is None:
            raise ValueError("sampling_handler_behavior is 'always' but no handler configured")
        return handler
    lack = _lack(context, with_tools=with_tools)
    if lack is None:
        return None
    if behavior == "fallback" and handler is not None:
        return handler
    if capability_ends_call(context):
        return None
    raise ValueError(lack)


def _lack(context: Context, *, with_tools: bool) -> str | None:
    """In words, what the client has not declared."""
    can = context.session.check_client_capability
    if not can(ClientCapabilities(sampling=SamplingCapability())):
        return "Client does not support sampling"
    if with_tools and not can(
        ClientCapabilities(sampling=SamplingCapability(tools=SamplingToolsCapability()))
    ):
        return (
            "Client does not support sampling with tools. "
            "The client must advertise the sampling.tools capability."
        )
    return None


async def answer(handler: SamplingHandler, params: CreateMessageRequestParams, context: Context) -> Reply:
    """What the server's own handler answers. It may answer with text alone."""
    given = handler(params.messages, params, context.request_context)
    reply: str | Reply = await given if inspect.isawaitable(given) else given
    if not isinstance(reply, str):
        return reply
    return CreateMessageResult(
        role="assistant", content=TextContent(type="text", text=reply), model="unknown", stop_reason="endTurn"
    )
