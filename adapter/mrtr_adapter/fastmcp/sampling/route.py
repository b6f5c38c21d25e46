"""Who answers a sampling: the client's model, or the server's own handler (`FastMCP(sampling_handler=…)`)."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from fastmcp import Context
from mcp_types import (
    ClientCapabilities,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    SamplingCapability,
    SamplingMessage,
    SamplingToolsCapability,
    TextContent,
)

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.question import SAMPLE, digest
from mrtr_adapter.fastmcp.asking import capability_ends_call, flow_of
from mrtr_adapter.recording.handler import memo

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
    """What the server's own handler answers. It may answer with text alone.

    No client is asked, so no answer is recorded for it: inside a flow this is done here, or a replay would get another
    one and ask about that.
    """
    flow = flow_of(context)
    if flow is None:
        return await _answer(handler, params, context)
    recorded = await memo(
        _name(flow, params), partial(_as_wire, handler, params, context), returns=dict[str, Any]
    )
    kind = CreateMessageResultWithTools if recorded["with_tools"] else CreateMessageResult
    return kind.model_validate(recorded["reply"], by_name=False)


async def _answer(handler: SamplingHandler, params: CreateMessageRequestParams, context: Context) -> Reply:
    given = handler(params.messages, params, context.request_context)
    reply: str | Reply = await given if inspect.isawaitable(given) else given
    if not isinstance(reply, str):
        return reply
    return CreateMessageResult(
        role="assistant", content=TextContent(type="text", text=reply), model="unknown", stop_reason="endTurn"
    )


async def _as_wire(
    handler: SamplingHandler, params: CreateMessageRequestParams, context: Context
) -> dict[str, Any]:
    reply = await _answer(handler, params, context)
    wire = reply.model_dump(by_alias=True, mode="json", exclude_none=True)
    return {"with_tools": isinstance(reply, CreateMessageResultWithTools), "reply": wire}


def _name(flow: Flow, params: CreateMessageRequestParams) -> str:
    """As an ask is told from others: by what it says, and by its place among equal ones."""
    said = digest(SAMPLE, params.model_dump(by_alias=True, mode="json", exclude_none=True))
    seen = _answered.setdefault(flow, Counter())
    seen[said] += 1
    return f"sampling_handler {said} {seen[said]}"


_answered: WeakKeyDictionary[Flow, Counter[str]] = WeakKeyDictionary()
"""How often each question was put in this run of a handler."""
