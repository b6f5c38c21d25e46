"""A FastMCP server, for `adapt`: its low-level server, and the function that serves a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fastmcp import FastMCP
from fastmcp.prompts.function_prompt import FunctionPrompt
from fastmcp.resources.function_resource import FunctionResource
from fastmcp.resources.template import FunctionResourceTemplate
from fastmcp.tools.function_tool import FunctionTool
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary

from mrtr_adapter.binding import versions
from mrtr_adapter.binding.middleware import FindHandler
from mrtr_adapter.fastmcp import context, proxies, steps
from mrtr_adapter.fastmcp.proxies import AdaptLike, Front


def bind(server: FastMCP[Any], adapt_like: AdaptLike) -> tuple[Server[Any], FindHandler]:
    """What `adapt` needs to know of `server`. From here on it has what handlers for FastMCP 2 and 3 call.

    Servers that are mounted on it, and those behind its proxies, are served along with it.

    Args:
        server: of FastMCP 4.
        adapt_like: what adapts those behind its proxies that run in this process.

    Raises:
        UnsupportedVersion: of another FastMCP.
    """
    versions.require("fastmcp")
    context.install()
    proxies.install(adapt_like)
    low = server._mcp_server
    if not any(isinstance(entry, Front) for entry in low.middleware):
        steps.install(server)
        _name_audience(server)
        low.middleware.append(Front(low))
    return low, _handlers(server)


def _name_audience(server: FastMCP[Any]) -> None:
    """A server without a name gets a random one, and its other instances would refuse the states of this one."""
    kind = type(server).__name__
    if re.fullmatch(rf"{kind}-[0-9a-f]{{4}}", server.name):
        for entry in server._mcp_server.middleware:
            if isinstance(entry, RequestStateBoundary):
                entry._audience = kind


def _handlers(server: FastMCP[Any]) -> FindHandler:
    def find(method: str, params: Mapping[str, Any]) -> Callable[..., Any] | None:
        name, uri = params.get("name"), str(params.get("uri"))
        for component in server.local_provider._components.values():
            if method == "tools/call" and isinstance(component, FunctionTool) and component.name == name:
                return component.fn
            if method == "prompts/get" and isinstance(component, FunctionPrompt) and component.name == name:
                return component.fn
            if method != "resources/read":
                continue
            if isinstance(component, FunctionResource) and str(component.uri) == uri:
                return component.fn
            if isinstance(component, FunctionResourceTemplate) and component.matches(uri) is not None:
                return component.fn
        return None

    return find
