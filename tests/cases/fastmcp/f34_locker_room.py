"""Locker room (FastMCP style): session state, the context without a parameter, injected dependencies."""

from fastmcp import Context, FastMCP
from fastmcp.dependencies import CurrentContext, Depends
from fastmcp.server.dependencies import get_context

mcp = FastMCP("locker-room")
EFFECTS: list[str] = []


async def count() -> int:
    """How often this was called in the session."""
    ctx = get_context()
    times = (await ctx.get_state("times") or 0) + 1
    await ctx.set_state("times", times)
    return times


async def pin_of(ctx: Context = CurrentContext()) -> str:
    """The member's PIN, asked once and kept."""
    kept = await ctx.get_state("pin")
    if kept is None:
        asked = await ctx.elicit("Your member number?", response_type=str)
        kept = asked.data if asked.action == "accept" else ""
        await ctx.set_state("pin", kept)
    return kept


@mcp.tool
async def open_locker(number: int, ctx: Context, member: str = Depends(pin_of)) -> str:
    """Open a locker; the second look at the state finds what the first one left."""
    first = await count()
    if not member:
        return f"no member ({first})"
    sure = await ctx.elicit(f"Open locker {number} for {member}?", response_type=bool)
    second = await count()
    if sure.action != "accept" or not sure.data:
        await ctx.delete_state("pin")
        return f"closed ({first}, {second}, {await ctx.get_state('pin')})"
    same = ctx.session_id == get_context().session_id
    EFFECTS.append(f"open {number}")
    return f"{number} open for {await ctx.get_state('pin')} ({first}, {second}, {same})"


@mcp.tool
async def lend_towel() -> str:
    """Asks through the context of wherever it runs, and keeps an object for this request only."""
    ctx = get_context()
    await ctx.set_state("basket", EFFECTS, serializable=False)
    big = await ctx.elicit("A big towel?", response_type=bool)
    basket = await ctx.get_state("basket")
    basket.append(f"towel {'big' if big.action == 'accept' and big.data else 'small'}")
    return basket[-1]


SCRIPTS = [
    {
        "tool": "open_locker",
        "args": {"number": 7},
        "answers": [
            ["member number", {"action": "accept", "content": {"value": "m-1"}}],
            ["Open locker 7", {"action": "accept", "content": {"value": True}}],
        ],
    },
    {
        "tool": "open_locker",
        "args": {"number": 7},
        "answers": [
            ["member number", {"action": "accept", "content": {"value": "m-1"}}],
            ["Open locker 7", {"action": "decline"}],
        ],
    },
    {"tool": "open_locker", "args": {"number": 7}, "answers": [["member number", {"action": "cancel"}]]},
    {"tool": "lend_towel", "args": {}, "answers": [["big towel", {"action": "accept", "content": {"value": True}}]]},
]
