"""A server as the pages speak of it: it asks before it deletes."""

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("desk")
DELETED: list[str] = []


class Confirm(BaseModel):
    ok: bool


@mcp.tool()
async def delete_files(paths: list[str], ctx: Context) -> str:
    """Delete files, once the user has agreed."""
    answer = await ctx.elicit(f"Delete {len(paths)} files?", Confirm)
    if answer.action != "accept" or not answer.data.ok:
        return "Nothing deleted."
    DELETED.extend(paths)
    return f"Deleted {len(paths)} files."


@mcp.tool()
async def book(day: str, ctx: Context) -> str:
    """Book a day."""
    answer = await ctx.elicit(f"Book {day}?", Confirm)
    return f"{day}: {answer.action}"


@mcp.tool()
async def pay(amount: int, ctx: Context) -> str:
    """Pay an amount, once the user has agreed."""
    answer = await ctx.elicit(f"Pay {amount}?", Confirm)
    return f"{amount}: {answer.action}"


if __name__ == "__main__":
    from mrtr_adapter import adapt

    adapt(mcp).run()
