"""Night shift (FastMCP style): several asks at once, a loop until the answer makes sense, a broad except."""

import asyncio

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

mcp = FastMCP("night-shift")
EFFECTS: list[str] = []

NURSES = ("ida", "joe", "kim")


@mcp.tool
async def fill_shift(ward: str, ctx: Context) -> str:
    """Ask for all three roles at once."""
    lead, second, quiet = await asyncio.gather(
        ctx.elicit(f"Who leads {ward}?", response_type=list(NURSES)),
        ctx.elicit(f"Who is second on {ward}?", response_type=list(NURSES)),
        ctx.elicit(f"Is {ward} quiet?", response_type=bool),
    )
    if lead.action != "accept" or second.action != "accept":
        return "unfilled"
    if lead.data == second.data:
        raise ToolError(f"{lead.data} can't be both")
    calm = quiet.action == "accept" and quiet.data
    EFFECTS.append(f"{ward}: {lead.data}, {second.data}")
    return f"{ward}: {lead.data} and {second.data}{'' if calm else ', one more on call'}"


@mcp.tool
async def set_break(nurse: str, ctx: Context) -> str:
    """Ask until the hour is one of the night."""
    for attempt in range(1, 4):
        hour = await ctx.elicit(f"Break of {nurse} at which hour? (try {attempt})", response_type=int)
        if hour.action != "accept":
            return f"no break for {nurse}"
        if hour.data in (22, 23, 0, 1, 2, 3, 4, 5):
            EFFECTS.append(f"break {nurse} {hour.data}")
            return f"{nurse} rests at {hour.data}"
    raise ToolError("no hour of the night in three tries")


@mcp.tool
async def release(bed: str, ctx: Context) -> str:
    """Old code that takes any failure to ask for a yes."""
    try:
        sure = await ctx.elicit(f"Release bed {bed}?", response_type=bool)
        released = sure.action == "accept" and sure.data
    except Exception:
        released = True
    if released:
        EFFECTS.append(f"release {bed}")
    return f"{bed} {'released' if released else 'kept'}"


SCRIPTS = [
    {
        "tool": "fill_shift",
        "args": {"ward": "W4"},
        "answers": [
            ["Who leads", {"action": "accept", "content": {"value": "ida"}}],
            ["Who is second", {"action": "accept", "content": {"value": "kim"}}],
            ["quiet?", {"action": "decline"}],
        ],
    },
    {
        "tool": "fill_shift",
        "args": {"ward": "W4"},
        "answers": [
            ["Who leads", {"action": "accept", "content": {"value": "joe"}}],
            ["Who is second", {"action": "accept", "content": {"value": "joe"}}],
            ["quiet?", {"action": "accept", "content": {"value": True}}],
        ],
    },
    {
        "tool": "set_break",
        "args": {"nurse": "ida"},
        "answers": [
            ["try 1", {"action": "accept", "content": {"value": 12}}],
            ["try 2", {"action": "accept", "content": {"value": 15}}],
            ["try 3", {"action": "accept", "content": {"value": 2}}],
        ],
    },
    {
        "tool": "set_break",
        "args": {"nurse": "joe"},
        "answers": [[f"try {n}", {"action": "accept", "content": {"value": 12}}] for n in (1, 2, 3)],
    },
    {"tool": "release", "args": {"bed": "b7"}, "answers": [["Release bed", {"action": "decline"}]]},
    {
        "tool": "release",
        "args": {"bed": "b7"},
        "answers": [["Release bed", {"action": "accept", "content": {"value": True}}]],
    },
]
