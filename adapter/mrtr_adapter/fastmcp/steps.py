"""Handlers in FastMCP 4's own step form (`InputRequiredResult` returned), for clients on an older protocol.

FastMCP turns their result into an error there before anybody else sees it. It is caught on the way, so that
`mrtr_adapter.binding.legacy` can push its requests and enter the handler again.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

from fastmcp import FastMCP
from fastmcp.prompts.base import InputRequiredPromptResult
from fastmcp.resources.base import InputRequiredResourceResult
from fastmcp.tools.base import InputRequiredToolResult
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import HandlerEntry
from mcp_types import InputRequiredResult
from mcp_types.methods import INPUT_REQUIRED_METHODS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]
ResultT = TypeVar("ResultT")
Serve = Callable[..., Coroutine[Any, Any, ResultT]]

_ASKING = (InputRequiredToolResult, InputRequiredPromptResult, InputRequiredResourceResult)
_SERVING = {"tools/call": "call_tool", "prompts/get": "render_prompt", "resources/read": "read_resource"}
"""The method of a FastMCP server behind each request."""

_catching: ContextVar[bool] = ContextVar("mrtr_fastmcp_catching", default=False)
"""True on the way from an older client's request to the server's method; not for what that calls in turn."""


class _Asked(BaseException):
    """A handler's `InputRequiredResult`, on its way past FastMCP."""

    def __init__(self, result: InputRequiredResult) -> None:
        self.result = result


def install(server: FastMCP[Any]) -> None:
    for name in _SERVING.values():
        setattr(server, name, _passing_by(getattr(server, name)))
    low = server._mcp_server
    for method in INPUT_REQUIRED_METHODS:
        entry = low.get_request_handler(method)
        if entry is not None:
            low.add_request_handler(method, entry.params_type, _caught(entry))


def _passing_by(serve: Serve[ResultT]) -> Serve[ResultT]:
    @wraps(serve)
    async def serving(*args: Any, **kwargs: Any) -> ResultT:
        if not _catching.get():
            return await serve(*args, **kwargs)
        token = _catching.set(False)
        try:
            result = await serve(*args, **kwargs)
        finally:
            _catching.reset(token)
        if isinstance(result, _ASKING):
            raise _Asked(result.input_required)
        return result

    return serving


def _caught(entry: HandlerEntry[Any]) -> Callable[[Context, Any], Coroutine[Any, Any, Any]]:
    async def handler(ctx: Context, params: Any) -> Any:
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return await entry.handler(ctx, params)
        token = _catching.set(True)
        try:
            return await entry.handler(_with_answers(ctx, params), params)
        except _Asked as asked:
            return asked.result
        finally:
            _catching.reset(token)

    return handler


def _with_answers(ctx: Context, params: Any) -> Context:
    """FastMCP reads answers and state off the raw request."""
    wire = params.model_dump(by_alias=True, mode="json", exclude_none=True)
    given = {name: wire[name] for name in ("inputResponses", "requestState") if name in wire}
    return replace(ctx, params={**(ctx.params or {}), **given}) if given else ctx
