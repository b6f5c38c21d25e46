"""`ctx.list_roots`, which FastMCP 4 has removed."""

from __future__ import annotations

from fastmcp import Context
from mcp_types import ListRootsRequest, ListRootsResult, Root


async def list_roots(self: Context) -> list[Root]:
    """The roots that the client names."""
    result = await self.session.send_request(ListRootsRequest(), ListRootsResult)
    return result.roots
