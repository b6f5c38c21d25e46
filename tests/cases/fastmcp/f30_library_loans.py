"""Library loans (FastMCP style): two mounted sub-servers, prompts and a resource template that ask."""

from typing import Literal

from fastmcp import Context, FastMCP

EFFECTS: list[str] = []

BOOKS = {"b1": "The Sea Wall", "b2": "Moss"}
HELD = {"b2": "ada"}

loans = FastMCP("loans")
desk = FastMCP("desk")


@loans.tool
async def lend(book: str, reader: str, ctx: Context) -> str:
    """Lend a book, past a hold only if the librarian says so."""
    if book not in BOOKS:
        return f"no book {book}"
    holder = HELD.get(book)
    if holder and holder != reader:
        override = await ctx.elicit(f"'{BOOKS[book]}' is held for {holder}. Lend it anyway?", response_type=bool)
        if override.action != "accept" or not override.data:
            return f"{book} stays on the shelf"
        EFFECTS.append(f"hold of {holder} on {book} dropped")
    days = await ctx.elicit(f"For how many days does {reader} take '{BOOKS[book]}'?", response_type=int)
    count = days.data if days.action == "accept" else 14
    EFFECTS.append(f"{book} to {reader} for {count}")
    return f"{reader} has '{BOOKS[book]}' for {count} days"


@desk.prompt
async def recommend(genre: str, ctx: Context) -> str:
    """A prompt for a recommendation, in the mood that the reader is in."""
    mood = await ctx.elicit(f"What mood are you in for {genre}?", response_type=["calm", "thrill"])
    return f"Recommend {genre}, mood: {mood.data if mood.action == 'accept' else 'any'}."


@desk.resource("card://{reader}")
async def card(reader: str, ctx: Context) -> str:
    """A reader's card, long or short."""
    form = await ctx.elicit(f"Card of {reader}: long or short?", response_type=Literal["long", "short"])
    if form.action == "accept" and form.data == "long":
        return f"{reader}: " + ", ".join(BOOKS[book] for book, holder in HELD.items() if holder == reader)
    return reader


mcp = FastMCP("library")
mcp.mount(loans, "loans")
mcp.mount(desk)

SCRIPTS = [
    {
        "tool": "loans_lend",
        "args": {"book": "b2", "reader": "bob"},
        "answers": [
            ["held for ada", {"action": "accept", "content": {"value": True}}],
            ["For how many days", {"action": "accept", "content": {"value": 7}}],
        ],
    },
    {
        "tool": "loans_lend",
        "args": {"book": "b2", "reader": "bob"},
        "answers": [["held for ada", {"action": "accept", "content": {"value": False}}]],
    },
    {
        "tool": "loans_lend",
        "args": {"book": "b1", "reader": "bob"},
        "answers": [["For how many days", {"action": "cancel"}]],
    },
    {"tool": "loans_lend", "args": {"book": "b9", "reader": "bob"}, "answers": []},
]
PROMPT_SCRIPTS = [
    {
        "prompt": "recommend",
        "args": {"genre": "poetry"},
        "answers": [["What mood", {"action": "accept", "content": {"value": "calm"}}]],
    },
    {"prompt": "recommend", "args": {"genre": "poetry"}, "answers": [["What mood", {"action": "decline"}]]},
    {
        "resource": "card://ada",
        "answers": [["long or short", {"action": "accept", "content": {"value": "long"}}]],
    },
    {"resource": "card://ada", "answers": [["long or short", {"action": "cancel"}]]},
]
