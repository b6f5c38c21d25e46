"""A depot that ships orders: await-style handlers as for a 2025-11-25 session, and adapted.

    python depot_server.py (PORT | stdio) LEDGER [CRASH…]

An order named as CRASH ends the process at the worst moment the first time that it is shipped: the ledger
has it, the client has no answer. `adapt` takes its key from `MRTR_KEYS`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from ledger import Ledger
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

from mrtr_adapter import adapt, shed

transport, ledger_path, *crashes = sys.argv[1:]
server = MCPServer("depot", log_level="WARNING")
ledger = Ledger(Path(ledger_path))


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


@server.tool()
async def ship(order: str, fragile: bool, ctx: Context) -> str:
    """Ship an order to where the user wants it."""
    print("to ship:", order, file=sys.stderr)
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
    attempt = ledger.ship(order, parcel)
    if order in crashes and attempt == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return parcel


@server.tool()
async def describe(order: str, ctx: Context) -> str:
    """Have the client's model describe an order, for the place where the client works."""
    prompt = SamplingMessage(role="user", content=TextContent(type="text", text=f"Describe {order}"))
    description, listing = await asyncio.gather(
        ctx.session.create_message([prompt], max_tokens=50),
        ctx.session.list_roots(),
    )
    text = description.content.text if isinstance(description.content, TextContent) else "?"
    return f"{text} for {listing.roots[0].uri}"


@server.tool()
async def pay(order: str, ctx: Context) -> str:
    """Send the user to the till."""
    visit = await ctx.elicit_url(
        f"Pay for {order} at the till", f"https://till.example/{order}", f"till-{order}"
    )
    return f"{order}: {visit.action}"


@server.tool()
async def weigh(order: str) -> str:
    """Weigh an order when the scale is free again."""
    await shed()
    return f"{order} weighs 3 kg"


@server.prompt()
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
    if transport == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", port=int(transport))
