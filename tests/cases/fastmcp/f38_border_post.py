"""Border post (FastMCP style): asks pass through a proxy, from a server behind it, mounted beside its own tools."""

from fastmcp import Context, FastMCP
from fastmcp.server import create_proxy

EFFECTS: list[str] = []

customs = FastMCP("customs")


@customs.tool
async def declare(goods: str, ctx: Context) -> str:
    """Declare goods: value, then duty, then what a model makes of it."""
    value = await ctx.elicit(f"What are the {goods} worth?", response_type=int)
    if value.action != "accept":
        return f"{goods} held back"
    duty = value.data // 10
    if duty > 50:
        paid = await ctx.elicit(f"Pay {duty} duty on the {goods}?", response_type=bool)
        if paid.action != "accept" or not paid.data:
            return f"{goods} sent back"
    label = await ctx.sample(f"A label for {goods}", max_tokens=16)
    EFFECTS.append(f"declared {goods} {duty}")
    return f"{goods}: {duty} ({label.text})"


mcp = FastMCP("border-post")
mcp.mount(create_proxy(customs), "customs")


@mcp.tool
async def open_gate(plate: str, ctx: Context) -> str:
    """Open the gate."""
    go = await ctx.elicit(f"Let {plate} pass?", response_type=bool)
    if go.action == "accept" and go.data:
        EFFECTS.append(f"gate {plate}")
        return f"{plate} passed"
    return f"{plate} waits"


def _text(text: str) -> dict:
    return {"role": "assistant", "model": "tiny", "content": {"type": "text", "text": text}}


SCRIPTS = [
    {
        "tool": "customs_declare",
        "args": {"goods": "clocks"},
        "answers": [
            ["worth?", {"action": "accept", "content": {"value": 900}}],
            ["Pay 90 duty", {"action": "accept", "content": {"value": True}}],
            ["A label for clocks", _text("fragile")],
        ],
    },
    {
        "tool": "customs_declare",
        "args": {"goods": "figs"},
        "answers": [["worth?", {"action": "accept", "content": {"value": 20}}], ["A label for figs", _text("fresh")]],
    },
    {"tool": "customs_declare", "args": {"goods": "figs"}, "answers": [["worth?", {"action": "decline"}]]},
    {
        "tool": "open_gate",
        "args": {"plate": "XY-1"},
        "answers": [["Let XY-1 pass", {"action": "accept", "content": {"value": True}}]],
    },
]
