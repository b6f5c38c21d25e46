"""Small servers for the adapter's tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

from adapter.rounds import KEY
from mrtr_adapter import adapt


class Ok(BaseModel):
    ok: bool


class Name(BaseModel):
    name: str


def serving(handler: Callable[..., Any], **options: Any) -> Callable[[], MCPServer]:
    """A maker of fresh, adapted instances of a server whose one tool, `tool`, is `handler`."""

    def make() -> MCPServer:
        server = MCPServer("test")
        server.add_tool(handler, name="tool")
        return adapt(server, **{"keys": [KEY], **options})

    return make
