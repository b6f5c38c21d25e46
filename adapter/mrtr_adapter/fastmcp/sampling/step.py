"""`ctx.sample_step`: one reply of the model, and the tools that it calls."""

from __future__ import annotations

from typing import Any, cast

import fastmcp
from fastmcp import Context
from mcp_types import CreateMessageRequestParams, SamplingMessage, SamplingMessageContentBlock

from mrtr_adapter.fastmcp.asking import require_foreground
from mrtr_adapter.fastmcp.sampling.execution import execute
from mrtr_adapter.fastmcp.sampling.request import (
    Messages,
    Preferences,
    ToolChoiceOption,
    Tools,
    as_messages,
    as_preferences,
    as_tool_choice,
    as_tools,
)
from mrtr_adapter.fastmcp.sampling.result import Reply, SampleStep
from mrtr_adapter.fastmcp.sampling.route import answer, own_handler

DEFAULT_MAX_TOKENS = 512


async def sample_step(
    self: Context,
    messages: Messages,
    *,
    system_prompt: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    model_preferences: Preferences = None,
    tools: Tools = None,
    tool_choice: ToolChoiceOption | str | None = None,
    execute_tools: bool = True,
    mask_error_details: bool | None = None,
    tool_concurrency: int | None = None,
) -> SampleStep:
    """Have the client's model say one thing, as FastMCP 3.4 did it.

    Args:
        messages: what to send: a text, or texts and messages. It is not changed.
        system_prompt: as in the protocol.
        temperature: as in the protocol.
        max_tokens: at most so many tokens (512).
        model_preferences: as in the protocol, or names of models.
        tools: what the model may call: functions, tools of the server, or `SamplingTool`s.
        tool_choice: `auto`, `required` or `none`.
        execute_tools: whether the tools that it calls are run, and their results added to the history.
        mask_error_details: whether the model is told only that a tool failed (FastMCP's setting).
        tool_concurrency: how many tools run at once: None one after the other, 0 all.

    Raises:
        ToolError: in a background task.
        ValueError: an argument makes no sense; or the client can't, on an older protocol and with
            `on_missing_capability="raise"`. Otherwise the latter ends the call with -32021.
    """
    require_foreground(self, "sample")
    offered = as_tools(tools)
    handler = own_handler(self, with_tools=bool(offered))
    params = CreateMessageRequestParams(
        messages=as_messages(messages),
        system_prompt=system_prompt,
        temperature=temperature,
        max_tokens=DEFAULT_MAX_TOKENS if max_tokens is None else max_tokens,
        model_preferences=as_preferences(model_preferences),
        tools=[tool._to_sdk_tool() for tool in offered] or None,
        tool_choice=as_tool_choice(tool_choice),
    )
    reply = await (_ask_client(self, params) if handler is None else answer(handler, params, self))
    history = [*params.messages, SamplingMessage(role="assistant", content=reply.content)]
    step = SampleStep(response=reply, history=history)
    if not (step.is_tool_use and execute_tools and step.tool_calls):
        return step
    mask = fastmcp.settings.mask_error_details if mask_error_details is None else mask_error_details
    results = await execute(
        step.tool_calls,
        {tool.name: tool for tool in offered},
        mask_error_details=mask,
        concurrency=tool_concurrency,
    )
    told = cast(list[SamplingMessageContentBlock], results)
    history.append(SamplingMessage(role="user", content=told))
    return step


async def _ask_client(context: Context, params: CreateMessageRequestParams) -> Reply:
    session: Any = context.session
    reply: Reply = await session.create_message(
        messages=params.messages,
        system_prompt=params.system_prompt,
        temperature=params.temperature,
        max_tokens=params.max_tokens,
        model_preferences=params.model_preferences,
        tools=params.tools,
        tool_choice=params.tool_choice,
        related_request_id=context.origin_request_id,
    )
    return reply
