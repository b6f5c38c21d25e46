"""`ctx.sample`: steps until the model has said its last."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar, overload

from fastmcp import Context
from pydantic import ValidationError

from mrtr_adapter.fastmcp.sampling.request import Messages, Preferences, Tools, as_tools, user_says
from mrtr_adapter.fastmcp.sampling.result import SampleStep, SamplingResult
from mrtr_adapter.fastmcp.sampling.step import sample_step
from mrtr_adapter.fastmcp.sampling.structured import NUDGE, FinalResponse, handed_in, told_invalid

ResultT = TypeVar("ResultT")
_Step = Callable[..., Coroutine[Any, Any, SampleStep]]

MAX_STEPS = 100
MAX_RETRIES = 3
"""How often the model is asked again for a result of the type: after text, and after invalid ones in a row."""


@overload
async def sample(
    self: Context,
    messages: Messages,
    *,
    system_prompt: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    model_preferences: Preferences = None,
    tools: Tools = None,
    result_type: type[ResultT],
    mask_error_details: bool | None = None,
    tool_concurrency: int | None = None,
) -> SamplingResult[ResultT]: ...


@overload
async def sample(
    self: Context,
    messages: Messages,
    *,
    system_prompt: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    model_preferences: Preferences = None,
    tools: Tools = None,
    result_type: None = None,
    mask_error_details: bool | None = None,
    tool_concurrency: int | None = None,
) -> SamplingResult[str]: ...


async def sample(
    self: Context,
    messages: Messages,
    *,
    system_prompt: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    model_preferences: Preferences = None,
    tools: Tools = None,
    result_type: type[Any] | None = None,
    mask_error_details: bool | None = None,
    tool_concurrency: int | None = None,
) -> SamplingResult[Any]:
    """Have the client's model answer, running the tools that it calls, as FastMCP 3.4 did it.

    Each of its replies is one ask. All arguments but `result_type` are those of `sample_step`.

    Args:
        result_type: what the model has to hand in instead of text: `result` is of this type, `text` its JSON.

    Raises:
        RuntimeError: the model did not hand in a `result_type` in four attempts, or took 100 steps.
        ValueError: as `sample_step`.
    """
    step = partial(
        sample_step,
        self,
        system_prompt=system_prompt,
        temperature=temperature,
        max_tokens=max_tokens,
        model_preferences=model_preferences,
        mask_error_details=mask_error_details,
        tool_concurrency=tool_concurrency,
    )
    if result_type is None or result_type is str:
        return await _until_text(step, messages, tools)
    return await _until_handed_in(step, messages, tools, FinalResponse(result_type))


async def _until_text(step: _Step, messages: Messages, tools: Tools) -> SamplingResult[str]:
    offered = as_tools(tools)
    for _ in range(MAX_STEPS):
        reply = await step(messages, tools=offered)
        if not reply.is_tool_use:
            return SamplingResult(text=reply.text, result=reply.text or "", history=reply.history)
        messages = reply.history
    raise _too_many_steps()


async def _until_handed_in(
    step: _Step, messages: Messages, tools: Tools, final: FinalResponse[ResultT]
) -> SamplingResult[ResultT]:
    offered = [*as_tools(tools), final.tool]
    texts = invalid = 0
    for _ in range(MAX_STEPS):
        reply = await step(messages, tools=offered, tool_choice="required")
        calls = handed_in(reply)
        for call in calls:
            result = final.parse(call)
            if not isinstance(result, ValidationError):
                return SamplingResult(text=final.text(result), result=result, history=reply.history)
            invalid += 1
            if invalid > MAX_RETRIES:
                raise _never_valid(final, invalid, result) from result
            reply.history.append(told_invalid(call, result))
        if not calls:
            invalid = 0
        if not reply.is_tool_use:
            texts += 1
            if texts > MAX_RETRIES:
                raise _never_handed_in(final, texts)
            reply.history.append(user_says(NUDGE))
        messages = reply.history
    raise _too_many_steps()


def _never_valid(final: FinalResponse[Any], times: int, error: ValidationError) -> RuntimeError:
    return RuntimeError(
        f"Structured output validation failed {times} consecutive times for type {final.type_name}: {error}"
    )


def _never_handed_in(final: FinalResponse[Any], times: int) -> RuntimeError:
    return RuntimeError(
        f"Expected structured output of type {final.type_name}, but the LLM returned a text response instead of "
        f"calling the final_response tool ({times} attempts)."
    )


def _too_many_steps() -> RuntimeError:
    return RuntimeError(f"Sampling exceeded maximum iterations ({MAX_STEPS})")
