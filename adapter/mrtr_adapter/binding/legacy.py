"""The other direction: a handler in step form serves a client on an older protocol.

There a server may still push requests. So the `InputRequiredResult` that such a handler returns never goes out: its
requests are pushed over the session, and the handler is entered again with the answers, as a client would do it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import HandlerEntry
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CreateMessageRequest,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    InputResponse,
    ListRootsResult,
)
from mcp_types.methods import INPUT_REQUIRED_METHODS, is_input_required
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from mrtr_adapter.engine import capabilities
from mrtr_adapter.engine.question import Question
from mrtr_adapter.engine.suspension import bound_exceeded, missing_capability

Context = ServerRequestContext[Any, Any]
_PAUSE_SECONDS = (0.05, 0.25)
"""Between two entries without a question, first and at most: what the SDK's own client does."""


def serve_steps(server: Server[Any], *, max_rounds: int) -> None:
    """Let the handlers of `server` answer older clients although they return `InputRequiredResult`."""
    find = server.get_request_handler
    stepping: dict[str, tuple[HandlerEntry[Any], HandlerEntry[Any]]] = {}

    def get_request_handler(method: str) -> HandlerEntry[Any] | None:
        entry = find(method)
        if entry is None or method not in INPUT_REQUIRED_METHODS:
            return entry
        known = stepping.get(method)
        if known is None or known[0] is not entry:
            known = stepping[method] = (entry, _stepping(entry, max_rounds))
        return known[1]

    server.get_request_handler = get_request_handler  # type: ignore[method-assign]


def _stepping(entry: HandlerEntry[Any], max_rounds: int) -> HandlerEntry[Any]:
    async def handler(ctx: Context, params: Any) -> Any:
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return await entry.handler(ctx, params)
        return await _step(entry, ctx, params, max_rounds)

    return HandlerEntry(entry.params_type, handler)


async def _step(entry: HandlerEntry[Any], ctx: Context, params: Any, max_rounds: int) -> Any:
    ctx.session.pushes_steps = True  # type: ignore[attr-defined]  # what a rewritten handler looks for
    pause, longest = _PAUSE_SECONDS
    for _ in range(max_rounds + 1):
        result = await entry.handler(ctx, params)
        if not is_input_required(result):
            return result
        asked = (
            result if isinstance(result, InputRequiredResult) else InputRequiredResult.model_validate(result)
        )
        if asked.input_requests:
            responses: Mapping[str, InputResponse] | None = await _push_all(ctx, asked.input_requests)
        else:
            await anyio.sleep(pause)
            pause, responses = min(2 * pause, longest), None
        params = params.model_copy(
            update={"input_responses": responses, "request_state": asked.request_state}
        )
    raise bound_exceeded(
        f"{ctx.method} needs more rounds of questions than the {max_rounds} that one call may take (max_rounds)"
    )


async def _push_all(ctx: Context, requests: Mapping[str, InputRequest]) -> dict[str, InputResponse]:
    """Push the requests of a round at once, and gather the answers under their keys."""
    for request in requests.values():
        _require(ctx, request)
    answers: dict[str, InputResponse] = {}

    async def push(key: str, request: InputRequest) -> None:
        answers[key] = await _push(ctx, request)

    async with anyio.create_task_group() as group:
        for key, request in requests.items():
            group.start_soon(push, key, request)
    return answers


def _require(ctx: Context, request: InputRequest) -> None:
    declared = ctx.session.client_capabilities
    lack = capabilities.missing(
        Question.of(request.method, _dump(request).get("params", {})), _dump(declared) if declared else {}
    )
    if lack is not None:
        raise missing_capability(*lack)


async def _push(ctx: Context, request: InputRequest) -> InputResponse:
    metadata = ServerMessageMetadata(related_request_id=ctx.request_id)
    if isinstance(request, ElicitRequest):
        if isinstance(request.params, ElicitRequestURLParams) and request.params.elicitation_id is None:
            # 2025-11-25 wants an id, and no notification will ever name it.
            named = request.params.model_copy(update={"elicitation_id": secrets.token_urlsafe(12)})
            request = request.model_copy(update={"params": named})
        return await ctx.session.send_request(request, ElicitResult, metadata=metadata)
    if isinstance(request, CreateMessageRequest):
        wants_tools = request.params.tools is not None or request.params.tool_choice is not None
        expected = CreateMessageResultWithTools if wants_tools else CreateMessageResult
        return await ctx.session.send_request(request, expected, metadata=metadata)
    return await ctx.session.send_request(request, ListRootsResult, metadata=metadata)


def _dump(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
