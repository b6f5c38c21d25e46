"""What a sampling gives back: of one reply, and of a whole exchange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from mcp_types import (
    CreateMessageResult,
    CreateMessageResultWithTools,
    SamplingMessage,
    TextContent,
    ToolUseContent,
)

ResultT = TypeVar("ResultT")
Reply: TypeAlias = CreateMessageResult | CreateMessageResultWithTools


@dataclass
class SamplingResult(Generic[ResultT]):
    """The end of an exchange with the client's model."""

    text: str | None
    """What the model said; of a structured result, its JSON."""
    result: ResultT
    """The text ("" if there was none), or what it was parsed into."""
    history: list[SamplingMessage]
    """All messages of the exchange, the model's last one included."""


@dataclass
class SampleStep:
    """One reply of the client's model, and the messages up to it."""

    response: Reply
    history: list[SamplingMessage]
    """What was sent, the reply, and the results of the tools that it called, if they were run."""

    @property
    def is_tool_use(self) -> bool:
        """Whether the model waits for the results of tools."""
        return (
            isinstance(self.response, CreateMessageResultWithTools) and self.response.stop_reason == "toolUse"
        )

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
