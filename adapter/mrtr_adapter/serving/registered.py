"""The names that a server has before it serves, where no more will come."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

if TYPE_CHECKING:
    from mrtr_adapter.serving.servers import AnyServer


def registered(server: AnyServer) -> Collection[str] | None:
    """Those of its tools and prompts. None if that can't be told before a client lists them: they come out of a
    handler, of another server, or of what the lifespan does."""
    if isinstance(server, MCPServer):
        tools, prompts = server._tool_manager.list_tools(), server._prompt_manager.list_prompts()
        names = [*(tool.name for tool in tools), *(prompt.name for prompt in prompts)]
        return None if server.settings.lifespan else names
    if isinstance(server, Server):
        return None
    from fastmcp.prompts.base import Prompt
    from fastmcp.server.server import default_lifespan
    from fastmcp.tools.base import Tool

    alone = server.providers == [server.local_provider]
    if not alone or server.transforms or server._lifespan is not default_lifespan:
        return None
    found = server.local_provider._components.values()
    return [component.name for component in found if isinstance(component, Tool | Prompt)]
