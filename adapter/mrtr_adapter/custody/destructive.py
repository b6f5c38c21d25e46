"""Which tools their owner has annotated as destructive (`annotations.destructiveHint`)."""

from __future__ import annotations

import logging
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from mrtr_adapter.custody.listing import tools_of

logger = logging.getLogger("mrtr")

Context = ServerRequestContext[Any, Any]


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
        async for tool in tools_of(self._server, ctx):
            if tool.name == name:
                return bool(tool.annotations and tool.annotations.destructive_hint)
        return False
