"""The depot of the interoperability tests as people wrote it for FastMCP 3, and adapted.

    python depot_server.py (PORT | stdio)

`adapt` takes its key from `MRTR_KEYS`.
"""

from __future__ import annotations

import asyncio
import sys

from fastmcp import Context, FastMCP
from pydantic import BaseModel

from mrtr_adapter import adapt, shed

server = FastMCP("depot")


class Destination(BaseModel):
    city: str


class Speed(BaseModel):
    express: bool


class Insurance(BaseModel):
    insured: bool


class Damage(BaseModel):
    state: str


class Language(BaseModel):
    name: str


@server.tool
async def ship(order: str, fragile: bool, ctx: Context) -> str:
    """Ship an order to where the user wants it."""
    destination = await ctx.elicit(f"Where does {order} go?", Destination)
    if destination.action != "accept":
        return f"{order} stays here"
    city = destination.data.city
    speed = await ctx.elicit(f"Send {order} to {city} by express?", Speed)
    if speed.action != "accept":
        return f"{order} stays here"
    parcel = f"{order} to {city}" + (" by express" if speed.data.express else "")
    if fragile:
        insurance = await ctx.elicit(f"Insure {parcel}?", Insurance)
        if insurance.action == "accept" and insurance.data.insured:
            parcel += ", insured"
    return parcel


@server.tool
async def describe(order: str, ctx: Context) -> str:
    """Have the client's model describe an order, for the place where the client works."""
    description, roots = await asyncio.gather(
        ctx.sample(f"Describe {order}", max_tokens=50),  # type: ignore[attr-defined]
        ctx.list_roots(),  # type: ignore[attr-defined]
    )
    return f"{description.text} for {roots[0].uri}"


@server.tool
async def pay(order: str, ctx: Context) -> str:
    """Send the user to the till."""
    visit = await ctx.session.elicit_url(
        f"Pay for {order} at the till", f"https://till.example/{order}", f"till-{order}"
    )
    return f"{order}: {visit.action}"


@server.tool
async def weigh(order: str) -> str:
    """Weigh an order when the scale is free again."""
    await shed()
    return f"{order} weighs 3 kg"


@server.prompt
async def complaint(order: str, ctx: Context) -> str:
    """A complaint about an order."""
    damage = await ctx.elicit(f"What is wrong with {order}?", Damage)
    return f"Complain: {order} is {damage.data.state if damage.action == 'accept' else 'late'}."


@server.resource("depot://orders/{order}")
async def sheet(order: str, ctx: Context) -> str:
    """An order's sheet, in the user's language."""
    language = await ctx.elicit(f"Read the sheet of {order} in which language?", Language)
    return f"{order} in {language.data.name if language.action == 'accept' else 'English'}"


if __name__ == "__main__":
    adapt(server)
    if sys.argv[1] == "stdio":
        server.run("stdio", show_banner=False)
    else:
        server.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="WARNING")
