"""What a handler may pass to `ctx.sample`, as the messages, tools and preferences of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, cast, get_args

from mcp_types import ModelHint, ModelPreferences, SamplingMessage, TextContent, ToolChoice

from mrtr_adapter.fastmcp.sampling.tool import CallableTool, SamplingTool

Messages: TypeAlias = str | Sequence[str | SamplingMessage]
Preferences: TypeAlias = ModelPreferences | str | list[str] | None
Tools: TypeAlias = Sequence[SamplingTool | CallableTool | Callable[..., Any]] | None
ToolChoiceOption = Literal["auto", "required", "none"]


def as_messages(messages: Messages) -> list[SamplingMessage]:
    """A list of its own; text is what the user says."""
    given = [messages] if isinstance(messages, str) else messages
    return [user_says(message) if isinstance(message, str) else message for message in given]


def user_says(text: str) -> SamplingMessage:
    return SamplingMessage(role="user", content=TextContent(type="text", text=text))


def as_tools(tools: Tools) -> list[SamplingTool]:
    """Tools of sampling, out of functions and tools of the server.

    Raises:
        TypeError: something that can't be called.
    """
    return [_as_tool(tool) for tool in tools or ()]


def _as_tool(tool: SamplingTool | CallableTool | Callable[..., Any]) -> SamplingTool:
    if isinstance(tool, SamplingTool):
        return tool
    if isinstance(tool, CallableTool):
        return SamplingTool.from_callable_tool(tool)
    if callable(tool):
        return SamplingTool.from_function(tool)
    raise TypeError(f"Expected SamplingTool, FunctionTool, TransformedTool, or callable, got {type(tool)}")


def as_tool_choice(choice: ToolChoiceOption | str | None) -> ToolChoice | None:
    """The choice as the protocol has it.

    Raises:
        ValueError: no such mode.
    """
    if choice is None:
        return None
    if choice not in get_args(ToolChoiceOption):
        raise ValueError(f"Invalid tool_choice: {choice!r}. Must be 'auto', 'required', or 'none'.")
    return ToolChoice(mode=cast(ToolChoiceOption, choice))


def as_preferences(preferences: Preferences) -> ModelPreferences | None:
    """Names of models become hints, the preferred one first.

    Raises:
        ValueError: neither preferences nor names.
    """
    if preferences is None or isinstance(preferences, ModelPreferences):
        return preferences
    names = [preferences] if isinstance(preferences, str) else preferences
    if not isinstance(names, list):
        raise ValueError("model_preferences must be one of: ModelPreferences, str, list[str], or None.")
    if not all(isinstance(name, str) for name in names):
        raise ValueError("All elements of model_preferences list must be strings.")
    return ModelPreferences(hints=[ModelHint(name=name) for name in names])
