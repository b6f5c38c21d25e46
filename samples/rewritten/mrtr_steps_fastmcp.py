"""Explicit steps in the terms of FastMCP 4: response types that are no models, sampled text, a plain list of roots.

Stands beside `mrtr_steps`, which holds the rest. Vendored by `mrtr rewrite`; it needs `fastmcp` >= 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from fastmcp.server.elicitation import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    handle_elicit_accept,
    parse_elicit_response_type,
)
from fastmcp.tools.base import InputRequiredToolResult
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    InputRequest,
    ModelHint,
    ModelPreferences,
    SamplingMessage,
    TextContent,
    Tool,
    ToolChoice,
)
from mrtr_steps import CannotAsk, InputRequiredResult, Step, numbered, raw_form, roots, url
from mrtr_steps import Steps as McpSteps
from typing_extensions import TypeAliasType

DataT = TypeVar("DataT")
ResultT = TypeVar("ResultT")
Messages = str | Sequence[str | SamplingMessage]
Preferences = ModelPreferences | str | list[str] | None
Choice = Literal["auto", "required", "none"]

Answer = TypeAliasType(
    "Answer", AcceptedElicitation[DataT] | DeclinedElicitation | CancelledElicitation, type_params=(DataT,)
)
"""What a form was answered with."""

__all__ = [
    "Answer", "CannotAsk", "InputRequiredResult", "Sampled", "Step", "Steps", "ToolSteps", "form", "numbered",
    "raw_form", "roots", "said", "sample", "url",
]  # fmt: skip


@dataclass
class Sampled(Generic[ResultT]):
    """What the client's model said: its `text`, and what that stands for."""

    text: str | None
    result: ResultT
    history: list[SamplingMessage]


class Steps(McpSteps):
    """One round of one handler; see `mrtr_steps.Steps`."""

    def form(self, key: str, response_type: Any, **labels: str | None) -> Any:
        """The answer to the form under `key`, or None: not asked yet, left out, or not what the form asks for."""
        answer = self.raw(key)
        if answer is None:
            return None
        if answer.action == "decline":
            return DeclinedElicitation()
        if answer.action == "cancel":
            return CancelledElicitation()
        if response_type is None:
            return AcceptedElicitation[dict[str, Any]](data={})
        try:
            return handle_elicit_accept(parse_elicit_response_type(response_type, **labels), answer.content)
        except ValueError:  # a pydantic ValidationError is one
            return None

    def sample(self, key: str) -> Any:
        """What the client's model said to the request under `key`."""
        reply = super().sample(key)
        if reply is None:
            return None
        blocks = reply.content if isinstance(reply.content, list) else [reply.content]
        text = next((block.text for block in blocks if isinstance(block, TextContent)), None)
        return Sampled(text, text or "", [SamplingMessage(role="assistant", content=reply.content)])

    def roots(self, key: str) -> Any:
        """The roots that the client listed."""
        listed = super().roots(key)
        return None if listed is None else listed.roots


class ToolSteps(Steps):
    """One round of the `run` of a tool that is a class of its own: what ends the round is a tool's result."""

    def ask(self, state: Step | None = None, /, **requests: InputRequest) -> Any:
        """As `Steps.ask`."""
        return InputRequiredToolResult(super().ask(state, **requests))

    def restart(self, **requests: InputRequest) -> Any:
        """As `Steps.restart`."""
        return InputRequiredToolResult(super().restart(**requests))

    def pass_on(self, state: Step | None, asked: InputRequiredResult) -> Any:
        """As `Steps.pass_on`."""
        return InputRequiredToolResult(super().pass_on(state, asked))

    def _inside(self) -> Any:
        return Steps


def form(message: str, response_type: Any, **labels: str | None) -> ElicitRequest:
    """A form for the user; `response_type` is anything that `ctx.elicit` took, None for a form without fields."""
    if response_type is None:
        return raw_form(message, {"type": "object", "properties": {}})
    return raw_form(message, parse_elicit_response_type(response_type, **labels).schema)


def sample(
    messages: Messages,
    *,
    system_prompt: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    model_preferences: Preferences = None,
    include_context: Literal["none", "thisServer", "allServers"] | None = None,
    tools: Sequence[Tool] = (),
    tool_choice: Choice | None = None,
) -> CreateMessageRequest:
    """A completion by the client's model, its options those of `ctx.sample`."""
    hints = [model_preferences] if isinstance(model_preferences, str) else model_preferences
    preferred = (
        ModelPreferences(hints=[ModelHint(name=n) for n in hints]) if isinstance(hints, list) else hints
    )
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=said(messages),
            system_prompt=system_prompt,
            temperature=temperature,
            max_tokens=512 if max_tokens is None else max_tokens,
            model_preferences=preferred,
            include_context=include_context,
            tools=[*tools] or None,
            tool_choice=None if tool_choice is None else ToolChoice(mode=tool_choice),
        )
    )


def said(messages: Messages) -> list[SamplingMessage]:
    """The messages as the protocol has them; text is what the user says."""
    return [_message(m) for m in ([messages] if isinstance(messages, str) else messages)]


def _message(given: str | SamplingMessage) -> SamplingMessage:
    if isinstance(given, SamplingMessage):
        return given
    return SamplingMessage(role="user", content=TextContent(type="text", text=given))
