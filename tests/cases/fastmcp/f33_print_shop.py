"""Print shop (FastMCP style): every form that response_type takes, and none at all."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from fastmcp import Context, FastMCP
from fastmcp.server.elicitation import AcceptedElicitation
from pydantic import Field
from typing_extensions import TypedDict

mcp = FastMCP("print-shop")
EFFECTS: list[str] = []

PAPER = {"mat": {"title": "Matte, 120 g"}, "glo": {"title": "Glossy, 170 g"}}


class Address(TypedDict):
    street: str
    zip: Annotated[int, Field(ge=1000)]


@dataclass
class Size:
    width: float
    height: float = 29.7
    borders: bool = field(default=False)


@mcp.tool
async def order_prints(file: str, ctx: Context) -> str:
    """Ask for all that a print needs."""
    go = await ctx.elicit(f"Print {file}?", response_type=None)
    if not isinstance(go, AcceptedElicitation):
        return f"{file} not printed ({go.action})"
    paper = await ctx.elicit("Which paper?", response_type=PAPER)
    extras = await ctx.elicit("Any extras?", response_type=[["fold", "staple", "punch"]])
    covers = await ctx.elicit("Which covers?", response_type=[{"f": {"title": "Front"}, "b": {"title": "Back"}}])
    size = await ctx.elicit("What size?", response_type=Size)
    copies = await ctx.elicit("How many?", response_type=int, response_title="Copies")
    weight = await ctx.elicit("Which weight factor?", response_type=float, response_description="1 is normal")
    name = await ctx.elicit("On whose name?", response_type=str)
    chosen = [one.data if isinstance(one, AcceptedElicitation) else None for one in (paper, extras, covers)]
    area = size.data.width * size.data.height if size.action == "accept" else 0
    EFFECTS.append(f"print {file}")
    return f"{go.data} {chosen} {area:g} {copies.data} {weight.data} {name.data}"


@mcp.tool
async def deliver(order: str, ctx: Context) -> str:
    """Where to, and when."""
    where = await ctx.elicit(f"Where does {order} go?", response_type=Address)
    if where.action != "accept":
        return "pick-up"
    when = await ctx.elicit("When?", response_type=Literal["noon", "night"])
    days = await ctx.elicit("On which days?", response_type=list[Literal["mon", "tue"]])
    EFFECTS.append(f"deliver {order}")
    return f"{where.data['street']} {where.data['zip']} {when.data} {days.data}"


@mcp.tool
async def sign_off(order: str, ctx: Context) -> str:
    """A bare consent, with nothing to fill in."""
    answer = await ctx.elicit(f"Sign off {order}?")
    return f"{answer.action} {answer.data if answer.action == 'accept' else '-'}"


@mcp.tool
async def mislabel(ctx: Context) -> str:
    """A title where the type brings its own."""
    try:
        await ctx.elicit("Size?", response_type=Size, response_title="Size")
    except TypeError as error:
        return f"TypeError: {str(error)[:45]}"
    return "asked"


SCRIPTS = [
    {
        "tool": "order_prints",
        "args": {"file": "a.pdf"},
        "answers": [
            ["Print a.pdf", {"action": "accept", "content": {}}],
            ["Which paper", {"action": "accept", "content": {"value": "glo"}}],
            ["Any extras", {"action": "accept", "content": {"value": ["fold", "punch"]}}],
            ["Which covers", {"action": "accept", "content": {"value": ["b"]}}],
            ["What size", {"action": "accept", "content": {"width": 21, "borders": True}}],
            ["How many", {"action": "accept", "content": {"value": 3}}],
            ["weight factor", {"action": "accept", "content": {"value": 1.5}}],
            ["On whose name", {"action": "accept", "content": {"value": "Ada"}}],
        ],
    },
    {"tool": "order_prints", "args": {"file": "b.pdf"}, "answers": [["Print b.pdf", {"action": "cancel"}]]},
    {
        "tool": "deliver",
        "args": {"order": "o1"},
        "answers": [
            ["Where does", {"action": "accept", "content": {"street": "Kade 4", "zip": 3511}}],
            ["When?", {"action": "accept", "content": {"value": "noon"}}],
            ["On which days", {"action": "accept", "content": {"value": ["mon", "tue"]}}],
        ],
    },
    {"tool": "deliver", "args": {"order": "o2"}, "answers": [["Where does", {"action": "decline"}]]},
    {"tool": "sign_off", "args": {"order": "o3"}, "answers": [["Sign off o3", {"action": "accept", "content": {}}]]},
    {"tool": "sign_off", "args": {"order": "o4"}, "answers": [["Sign off o4", {"action": "decline"}]]},
    {"tool": "mislabel", "args": {}, "answers": []},
]
