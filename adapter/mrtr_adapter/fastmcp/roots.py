"""`ctx.list_roots`, which FastMCP 4 has removed."""

from __future__ import annotations

from fastmcp import Context
from mcp_types import ListRootsRequest, ListRootsResult, Root

from mrtr_adapter.fastmcp.asking import require_foreground


async def list_roots(self: Context) -> list[Root]:
    """The roots that the client names.

    Raises:
        ToolError: in a background task.
    """
    require_foreground(self, "list_roots")
    result = await self.session.send_request(ListRootsRequest(), ListRootsResult)
    return result.roots
