"""What a server itself lists, which every framework has a handler for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import ListPromptsResult, ListToolsResult, PaginatedRequestParams, Prompt, Tool

from mrtr_adapter.engine.session import ClosedSession

Context = ServerRequestContext[Any, Any]
_MAX_PAGES = 100


async def tools_of(server: Server[Any], ctx: Context) -> AsyncIterator[Tool]:
    """The tools that the client of `ctx` is shown. Raises what the server's handler raises."""
    async for page in _pages(server, ctx, "tools/list", ListToolsResult):
        for tool in page.tools:
            yield tool


async def prompts_of(server: Server[Any], ctx: Context) -> AsyncIterator[Prompt]:
    """The prompts that the client of `ctx` is shown. Raises what the server's handler raises."""
    async for page in _pages(server, ctx, "prompts/list", ListPromptsResult):
        for prompt in page.prompts:
            yield prompt


async def _pages(server: Server[Any], ctx: Context, method: str, kind: Any) -> AsyncIterator[Any]:
    entry = server.get_request_handler(method)
    # Whoever takes part in making the list can't ask for it: no round would carry the question.
    ctx = replace(ctx, session=ClosedSession(ctx.session, method))
    cursor: str | None = None
    for _ in range(_MAX_PAGES if entry else 0):
        assert entry is not None
        found = await entry.handler(ctx, PaginatedRequestParams(cursor=cursor))
        page = kind.model_validate(found, from_attributes=True)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return
