"""An old server by FastMCP 2 or 3. `python fastmcp_pets.py stdio|PORT`."""

from __future__ import annotations

import sys

from fastmcp import Context, FastMCP

server = FastMCP("old pets")


@server.tool
async def adopt(kind: str, ctx: Context) -> str:
    name = await ctx.elicit(f"What is the {kind} called?", response_type=str)
    colour = await ctx.elicit("Which colour?", response_type=["black", "white"])
    return f"{kind} {name.data} is {colour.data}"


@server.tool
async def describe(ctx: Context) -> str:
    answer = await ctx.sample("Describe a pet")
    return f"pet: {answer.text}"


def scales(name: str) -> str:
    """Weigh the pet of that name."""
    return f"{name} weighs 4 kg"


@server.tool
async def weigh(ctx: Context) -> str:
    answer = await ctx.sample("How heavy is it?", tools=[scales])
    return f"weight: {answer.text}"


@server.tool
async def feed(amount: int) -> str:
    return f"fed {amount}"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run(show_banner=False)
    else:
        server.run(transport="http", port=int(sys.argv[1]), show_banner=False)
