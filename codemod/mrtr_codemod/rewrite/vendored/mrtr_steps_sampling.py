"""Exchanges with the client's model in explicit steps: tools that it may call, results of a type, single turns.

What FastMCP 2 and 3 did in `ctx.sample` and `ctx.sample_step`, with a round for each turn of the model. The messages so
far travel in the state. Stands beside `mrtr_steps_fastmcp`. Vendored by `mrtr rewrite`; it needs `fastmcp` >= 4.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

import anyio
import fastmcp
from fastmcp.exceptions import ToolError
from fastmcp.tools.function_parsing import ParsedFunction
from fastmcp.utilities.json_schema import compress_schema
from mcp.types import (
    CreateMessageResultWithTools,
    SamplingMessage,
    SamplingMessageContentBlock,
    TextContent,
    Tool,
    ToolResultContent,
    ToolUseContent,
)
from mrtr_steps import CannotAsk, InputRequiredResult, Step
from mrtr_steps_fastmcp import Choice, Messages, Preferences, Sampled, Steps, said, sample
from pydantic import TypeAdapter, ValidationError

__all__ = ["SampledStep", "sampled", "sampled_step"]

ResultT = TypeVar("ResultT")

MOST_TURNS = 100
MOST_RETRIES = 3
"""How often the model is asked again for a result of the type: after text, and after invalid ones in a row."""
HAND_IN = "final_response"
NUDGE = (
    "You must call the `final_response` tool to provide your answer. Do not respond with text — use the tool."
)


class Exchange(Step):
    """Where an exchange stands: what was said, and how often the model has failed to hand in a result."""

    step: Literal["exchange"] = "exchange"
    history: list[SamplingMessage]
    turns: int = 0
    texts: int = 0
    invalid: int = 0


@dataclass
class SampledStep:
    """One turn of the client's model, and the messages up to it."""

    response: CreateMessageResultWithTools
    history: list[SamplingMessage]
    """What was sent, the reply, and the results of the tools that it called, if they were run."""

    @property
    def is_tool_use(self) -> bool:
        """Whether the model waits for the results of tools."""
        return self.response.stop_reason == "toolUse"

    @property
    def text(self) -> str | None:
        """The first text of the reply."""
        return next((block.text for block in self._blocks if isinstance(block, TextContent)), None)

    @property
    def tool_calls(self) -> list[ToolUseContent]:
        """The tools that the model wants to be called."""
        return [block for block in self._blocks if isinstance(block, ToolUseContent)]

    @property
    def _blocks(self) -> list[object]:
        content = self.response.content
        return [*content] if isinstance(content, list) else [content]


async def sampled(
    messages: Messages,
    *,
    steps: Steps,
    system_prompt: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    model_preferences: Preferences = None,
    tools: Sequence[Callable[..., Any]] | None = None,
    result_type: type[Any] | None = None,
    mask_error_details: bool | None = None,
    tool_concurrency: int | None = None,
) -> Sampled[Any] | InputRequiredResult:
    """Have the client's model answer, running the tools that it calls.

    Args:
        messages: what to send first; later rounds go on from the state.
        steps: this round's steps.
        result_type: what the model has to hand in instead of text.
        mask_error_details: whether the model is told only that a tool failed. A `ToolError` is always told.
        tool_concurrency: how many tools run at once: None one after the other, 0 all.

    Raises:
        CannotAsk: the client can't be asked.
        RuntimeError: the model did not hand in a `result_type` in four attempts, or took 100 turns.
    """
    final = None if result_type is None or result_type is str else _Final(result_type)
    offered = _by_name([*map(_Offered.of, tools or ()), *([final.tool] if final is not None else [])])
    state = steps.resume(Exchange) or Exchange(history=said(messages))
    while True:
        reply = steps.sample_with_tools("reply")
        if reply is None:
            if state.turns == MOST_TURNS:
                raise RuntimeError(f"Sampling exceeded maximum iterations ({MOST_TURNS})")
            request = sample(
                state.history,
                system_prompt=system_prompt,
                temperature=temperature,
                max_tokens=max_tokens,
                model_preferences=model_preferences,
                tools=[tool.described for tool in offered.values()],
                tool_choice=None if final is None else "required",
            )
            return steps.ask(state, reply=request)
        state.turns += 1
        turn = await _taken(reply, state.history, offered, mask_error_details, tool_concurrency)
        if final is not None:
            done = final.handed_in(turn, state)
            if done is not None:
                return done
        elif not turn.is_tool_use:
            return Sampled(turn.text, turn.text or "", turn.history)


async def sampled_step(
    messages: Messages,
    *,
    steps: Steps,
    system_prompt: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    model_preferences: Preferences = None,
    tools: Sequence[Callable[..., Any]] | None = None,
    tool_choice: Choice | None = None,
    execute_tools: bool = True,
    mask_error_details: bool | None = None,
    tool_concurrency: int | None = None,
) -> SampledStep | InputRequiredResult:
    """Have the client's model say one thing; the arguments are those of `sampled`.

    Args:
        tool_choice: `auto`, `required` or `none`.
        execute_tools: whether the tools that it calls are run, and their results added to the history.

    Raises:
        CannotAsk: the client can't be asked.
    """
    offered = _by_name(map(_Offered.of, tools or ()))
    state = steps.resume(Exchange) or Exchange(history=said(messages))
    reply = steps.sample_with_tools("reply")
    if reply is None:
        request = sample(
            state.history,
            system_prompt=system_prompt,
            temperature=temperature,
            max_tokens=max_tokens,
            model_preferences=model_preferences,
            tools=[tool.described for tool in offered.values()],
            tool_choice=tool_choice,
        )
        return steps.ask(state, reply=request)
    return await _taken(
        reply, state.history, offered if execute_tools else None, mask_error_details, tool_concurrency
    )


async def _taken(
    reply: CreateMessageResultWithTools,
    history: list[SamplingMessage],
    offered: Mapping[str, _Offered] | None,
    mask: bool | None,
    concurrency: int | None,
) -> SampledStep:
    """The turn, once the tools that the model called have run; `offered` is None if none may."""
    history.append(SamplingMessage(role="assistant", content=reply.content))
    turn = SampledStep(reply, history)
    if turn.is_tool_use and offered is not None and turn.tool_calls:
        masked = fastmcp.settings.mask_error_details if mask is None else mask
        results = await _run(turn.tool_calls, offered, masked, concurrency)
        told = cast("list[SamplingMessageContentBlock]", results)
        history.append(SamplingMessage(role="user", content=told))
    return turn


async def _run(
    calls: Sequence[ToolUseContent], offered: Mapping[str, _Offered], mask: bool, concurrency: int | None
) -> list[ToolResultContent]:
    """The results of tools, in the order of the calls."""
    if concurrency is not None and concurrency < 0:
        raise ValueError(
            f"tool_concurrency must be None, 0 (unlimited), or a positive integer, got {concurrency}"
        )
    if concurrency is None:
        return [await _result(call, offered, mask) for call in calls]
    results: dict[int, ToolResultContent] = {}
    limit = anyio.Semaphore(concurrency or len(calls))

    async def run(place: int, call: ToolUseContent) -> None:
        async with limit:
            results[place] = await _result(call, offered, mask)

    async with anyio.create_task_group() as group:
        for place, call in enumerate(calls):
            group.start_soon(run, place, call)
    return [results[place] for place in range(len(calls))]


async def _result(call: ToolUseContent, offered: Mapping[str, _Offered], mask: bool) -> ToolResultContent:
    """What a tool gave; one that failed gives a result too, for the model is told."""
    tool = offered.get(call.name)
    if tool is None:
        return _told(call, f"Error: Unknown tool '{call.name}'", failed=True)
    try:
        return _told(call, str(await tool.run(call.input)))
    except CannotAsk:
        raise
    except ToolError as error:
        return _told(call, str(error), failed=True)
    except Exception as error:
        text = f"Error executing tool '{call.name}'"
        return _told(call, text if mask else f"{text}: {error}", failed=True)


def _told(call: ToolUseContent, text: str, *, failed: bool = False) -> ToolResultContent:
    return ToolResultContent(
        tool_use_id=call.id, content=[TextContent(type="text", text=text)], is_error=failed or None
    )


@dataclass(frozen=True)
class _Offered:
    """A function that the model may call."""

    name: str
    described: Tool
    function: Callable[..., Any]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _Offered:
        parsed = ParsedFunction.from_function(function, validate=True)
        described = Tool(name=parsed.name, description=parsed.description, input_schema=parsed.input_schema)
        return cls(parsed.name, described, parsed.fn)

    async def run(self, arguments: dict[str, Any] | None) -> Any:
        result = self.function(**(arguments or {}))
        return await result if inspect.isawaitable(result) else result


def _by_name(tools: Iterable[_Offered]) -> dict[str, _Offered]:
    return {tool.name: tool for tool in tools}


class _Final(Generic[ResultT]):
    """The type of the result, as a tool by which the model hands it in."""

    def __init__(self, result_type: type[ResultT]) -> None:
        self.type_name = getattr(result_type, "__name__", str(result_type))
        self._adapter: TypeAdapter[ResultT] = TypeAdapter(result_type)
        self._schema = compress_schema(self._adapter.json_schema(), prune_titles=True)
        self._wrapped = self._schema.get("type") != "object"

    @property
    def tool(self) -> _Offered:
        """Arguments are an object, so a result of any other type is its `value`."""
        wrapper = {"type": "object", "properties": {"value": self._schema}, "required": ["value"]}
        described = Tool(
            name=HAND_IN,
            description="Call this tool to provide your final response. "
            "Use this when you have completed the task and are ready to return the result.",
            input_schema=wrapper if self._wrapped else self._schema,
        )
        return _Offered(HAND_IN, described, dict)

    def handed_in(self, turn: SampledStep, state: Exchange) -> Sampled[ResultT] | None:
        """The result, if the model has handed in a valid one; else it is told, and counted."""
        calls = [call for call in turn.tool_calls if call.name == HAND_IN] if turn.is_tool_use else []
        for call in calls:
            result = self._parsed(call)
            if not isinstance(result, ValidationError):
                text = json.dumps(self._adapter.dump_python(result, mode="json"))
                return Sampled(text, result, turn.history)
            self._note_invalid(call, result, state)
        if not calls:
            state.invalid = 0
        if not turn.is_tool_use:
            self._note_text(state)
        return None

    def _parsed(self, call: ToolUseContent) -> ResultT | ValidationError:
        given: Any = call.input
        try:
            return self._adapter.validate_python(
                given["value"] if self._wrapped and "value" in given else given
            )
        except ValidationError as error:
            return error

    def _note_invalid(self, call: ToolUseContent, error: ValidationError, state: Exchange) -> None:
        state.invalid += 1
        if state.invalid > MOST_RETRIES:
            raise RuntimeError(
                f"Structured output validation failed {state.invalid} consecutive times "
                f"for type {self.type_name}: {error}"
            ) from error
        told = _told(call, f"Validation error: {error}. Please try again with valid data.", failed=True)
        state.history.append(SamplingMessage(role="user", content=[told]))

    def _note_text(self, state: Exchange) -> None:
        state.texts += 1
        if state.texts > MOST_RETRIES:
            raise RuntimeError(
                f"Expected structured output of type {self.type_name}, but the LLM returned a text response "
                f"instead of calling the final_response tool ({state.texts} attempts)."
            )
        state.history.append(SamplingMessage(role="user", content=TextContent(type="text", text=NUDGE)))
