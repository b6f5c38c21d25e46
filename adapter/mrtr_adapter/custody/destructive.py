"""Which tools their owner has annotated as destructive (`annotations.destructiveHint`)."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import ListToolsResult, PaginatedRequestParams

from mrtr_adapter.engine.session import ClosedSession

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]
_MAX_PAGES = 100


class DestructiveTools:
    """Asks a server's own `tools/list`, which every framework has; once for each tool that asks its client."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._known: dict[str, bool] = {}

    async def has(self, ctx: Context, name: str) -> bool:
        """Whether this tool is annotated so. One whose annotations can't be read counts as destructive."""
        if name not in self._known:
            try:
                self._known[name] = await self._look(ctx, name)
            except Exception:
                logger.exception("tools/list has failed, so %s counts as destructive", name)
                return True
        return self._known[name]

    async def _look(self, ctx: Context, name: str) -> bool:
        entry = self._server.get_request_handler("tools/list")
        # The round has ended: whoever takes part in listing the tools can't ask for it any more.
        ctx = replace(ctx, session=ClosedSession(ctx.session, "tools/list"))
        cursor: str | None = None
        for _ in range(_MAX_PAGES if entry else 0):
            assert entry is not None
            page = ListToolsResult.model_validate(
                await entry.handler(ctx, PaginatedRequestParams(cursor=cursor)), from_attributes=True
            )
            for tool in page.tools:
                if tool.name == name:
                    return bool(tool.annotations and tool.annotations.destructive_hint)
            cursor = page.next_cursor
            if cursor is None:
                break
        return False
