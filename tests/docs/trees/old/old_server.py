"""An old server: over stdio, or over HTTP at a port that it is given."""

import sys

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("old")


class Confirm(BaseModel):
    ok: bool


@mcp.tool()
async def close(ticket: int, ctx: Context) -> str:
    """Close a ticket."""
    answer = await ctx.elicit(f"Close {ticket}?", Confirm)
    return f"{ticket}: {answer.action}"


if __name__ == "__main__":
    if sys.argv[1:]:
        mcp.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        mcp.run()
