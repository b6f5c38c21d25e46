"""A result of a type: the model hands it in by calling a tool, `final_response`, whose parameters are its schema."""

from __future__ import annotations

import json
from typing import Any, Generic, TypeVar

from fastmcp.utilities.json_schema import compress_schema
from mcp_types import SamplingMessage, TextContent, ToolResultContent, ToolUseContent
from pydantic import TypeAdapter, ValidationError

from mrtr_adapter.fastmcp.sampling.result import SampleStep
from mrtr_adapter.fastmcp.sampling.tool import SamplingTool

ResultT = TypeVar("ResultT")

NAME = "final_response"
NUDGE = (
    "You must call the `final_response` tool to provide your answer. Do not respond with text — use the tool."
)


class FinalResponse(Generic[ResultT]):
    """The type that a handler wants, as a tool."""

    def __init__(self, result_type: type[ResultT]) -> None:
        self.type_name = getattr(result_type, "__name__", str(result_type))
        self._adapter: TypeAdapter[ResultT] = TypeAdapter(result_type)
        self._schema = compress_schema(self._adapter.json_schema(), prune_titles=True)
        self._wrapped = self._schema.get("type") != "object"

    @property
    def tool(self) -> SamplingTool:
        """Arguments are an object, so any other type is its `value`."""
        wrapper = {"type": "object", "properties": {"value": self._schema}, "required": ["value"]}
        return SamplingTool(
            name=NAME,
            description=(
                "Call this tool to provide your final response. "
                "Use this when you have completed the task and are ready to return the result."
            ),
            parameters=wrapper if self._wrapped else self._schema,
            fn=dict,
        )

    def parse(self, call: ToolUseContent) -> ResultT | ValidationError:
        """What the model handed in, or why it is not of the type."""
        given: Any = call.input
        try:
            return self._adapter.validate_python(
                given["value"] if self._wrapped and "value" in given else given
            )
        except ValidationError as error:
            return error

    def text(self, result: ResultT) -> str:
        """The result as JSON."""
        return json.dumps(self._adapter.dump_python(result, mode="json"))


def handed_in(step: SampleStep) -> list[ToolUseContent]:
    """The calls of `final_response` in a reply."""
    return [call for call in step.tool_calls if call.name == NAME] if step.is_tool_use else []


def told_invalid(call: ToolUseContent, error: Exception) -> SamplingMessage:
    """What the model is told of a result that is not of the type."""
    text = f"Validation error: {error}. Please try again with valid data."
    told = ToolResultContent(
        tool_use_id=call.id, content=[TextContent(type="text", text=text)], is_error=True
    )
    return SamplingMessage(role="user", content=[told])
