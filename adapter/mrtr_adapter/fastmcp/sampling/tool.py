"""A tool that the client's model may call while a handler samples."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from fastmcp.exceptions import AuthorizationError
from fastmcp.server.context import _current_transport
from fastmcp.server.dependencies import get_access_token
from fastmcp.tools.base import ToolResult
from fastmcp.tools.function_parsing import ParsedFunction
from fastmcp.tools.function_tool import FunctionTool
from fastmcp.tools.tool_transform import TransformedTool
from fastmcp.utilities.authorization import AuthContext, run_auth_checks
from mcp_types import TextContent, Tool
from pydantic import BaseModel, ConfigDict

CallableTool = FunctionTool | TransformedTool


class SamplingTool(BaseModel):
    """What the model is told of a tool, and the function behind it.

    `ctx.sample(tools=[...])` takes plain functions; this gives one another name or description.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    name: str
    description: str | None = None
    parameters: dict[str, Any]
    """The JSON schema of its arguments."""
    fn: Callable[..., Any]
    sequential: bool = False
    """Whether it must not run beside other tools; it then keeps all that the model called with it apart."""

    async def run(self, arguments: dict[str, Any] | None = None) -> Any:
        """Call the function, and await what it gives back if that can be awaited."""
        result = self.fn(**(arguments or {}))
        return await result if inspect.isawaitable(result) else result

    def _to_sdk_tool(self) -> Tool:
        return Tool(name=self.name, description=self.description, input_schema=self.parameters)

    @classmethod
    def from_function(
        cls,
        fn: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        sequential: bool = False,
    ) -> SamplingTool:
        """The tool for a function: its name, docstring and annotated parameters, where nothing else is given.

        Raises:
            ValueError: a lambda without a name.
        """
        parsed = ParsedFunction.from_function(fn, validate=True)
        if name is None and parsed.name == "<lambda>":
            raise ValueError("You must provide a name for lambda functions")
        return cls(
            name=name or parsed.name,
            description=parsed.description if description is None else description,
            parameters=parsed.input_schema,
            fn=parsed.fn,
            sequential=sequential,
        )

    @classmethod
    def from_callable_tool(
        cls, tool: CallableTool, *, name: str | None = None, description: str | None = None
    ) -> SamplingTool:
        """The tool for a tool of the server. Its own authorization is checked at each call.

        Raises:
            TypeError: it is neither a `FunctionTool` nor a `TransformedTool`.
        """
        if not isinstance(tool, CallableTool):
            raise TypeError(
                f"Expected FunctionTool or TransformedTool, got {type(tool).__name__}. "
                "Only callable tools can be converted to SamplingTools."
            )

        async def call(**arguments: Any) -> Any:
            await _authorize(tool)
            return _value(tool, await tool.run(arguments))

        return cls(
            name=name or tool.name,
            description=description or tool.description,
            parameters=tool.parameters,
            fn=call,
        )


async def _authorize(tool: CallableTool) -> None:
    """As the server does for a call from outside. On stdio the caller is the owner of the process."""
    if tool.auth is None or _current_transport.get() == "stdio":
        return
    allowed = await run_auth_checks(tool.auth, AuthContext(token=get_access_token(), component=tool))
    if not allowed:
        raise AuthorizationError(f"Authorization failed for tool '{tool.name}': insufficient permissions")


def _value(tool: CallableTool, result: Any) -> Any:
    """The value that the tool's function returned, as far as its result still tells."""
    if not isinstance(result, ToolResult):
        return result
    structured = result.structured_content
    if structured is not None:
        wrapped = tool.output_schema is not None and tool.output_schema.get("x-fastmcp-wrap-result")
        return structured.get("result") if wrapped and isinstance(structured, dict) else structured
    first = result.content[0] if result.content else None
    return first.text if isinstance(first, TextContent) else result
