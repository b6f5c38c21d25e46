"""FastMCP servers for the tests of their binding, each made anew for every round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastmcp import FastMCP

from adapter.rounds import KEY
from mrtr_adapter import adapt

TRUE: dict[str, Any] = {"action": "accept", "content": {"value": True}}
FALSE: dict[str, Any] = {"action": "accept", "content": {"value": False}}


def serving(*handlers: Callable[..., Any], **options: Any) -> Callable[[], Any]:
    """Makes the low-level server of an adapted FastMCP server that has these tools."""

    def make() -> Any:
        server = FastMCP("test")
        for handler in handlers:
            server.tool(handler)
        return adapted(server, **options)

    return make


def adapted(server: FastMCP[Any], **options: Any) -> Any:
    return adapt(server, keys=[KEY], **options)._mcp_server


def says(text: str) -> dict[str, Any]:
    """A model's last word."""
    return {"role": "assistant", "model": "m", "content": {"type": "text", "text": text}}


def calls(*wanted: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A model that wants tools to be called."""
    blocks = [
        {"type": "tool_use", "id": f"{name}{place}", "name": name, "input": given}
        for place, (name, given) in enumerate(wanted)
    ]
    return {"role": "assistant", "model": "m", "content": blocks, "stopReason": "toolUse"}
