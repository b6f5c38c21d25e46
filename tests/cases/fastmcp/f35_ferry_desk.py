"""Ferry desk (FastMCP style): middleware that asks before whatever destroys, and one that turns errors around."""

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware, MiddlewareContext

EFFECTS: list[str] = []
CREWED = {"isola": 3, "stella": 0}


class Consent(Middleware):
    """Whatever is tagged needs the user's consent, whoever wrote it."""

    async def on_call_tool(self, context: MiddlewareContext, call_next):
        if not context.message.name.startswith("cancel"):
            return await call_next(context)
        ctx = context.fastmcp_context
        given = await ctx.elicit(f"Really {context.message.name}?", response_type=bool)
        if given.action != "accept" or not given.data:
            raise ToolError("not without consent")
        await ctx.set_state("consent", given.data)
        return await call_next(context)


class Manners(Middleware):
    """Says sorry."""

    async def on_call_tool(self, context: MiddlewareContext, call_next):
        try:
            return await call_next(context)
        except Exception as error:
            EFFECTS.append("sorry")
            raise ToolError(f"Sorry: {error}") from error


mcp = FastMCP("ferry-desk", middleware=[Manners(), Consent()])


@mcp.tool
async def cancel_sailing(ship: str, ctx: Context) -> str:
    """Cancel a sailing, and say what becomes of the passengers."""
    if ship not in CREWED:
        raise ToolError(f"no ship {ship}")
    plan = await ctx.elicit(f"What becomes of the passengers of {ship}?", response_type=["refund", "rebook"])
    if plan.action != "accept":
        raise ToolError("the passengers come first")
    EFFECTS.append(f"cancel {ship} {plan.data}")
    return f"{ship} cancelled, {plan.data} (consent {await ctx.get_state('consent')})"


@mcp.tool
async def crew(ship: str, ctx: Context) -> str:
    """Set the crew of a ship."""
    await ctx.report_progress(1, 2)
    size = await ctx.elicit(f"Crew of {ship}? (now {CREWED[ship]})", response_type=int)
    await ctx.info("crewed")
    EFFECTS.append(f"crew {ship}")
    return f"{ship} has {size.data if size.action == 'accept' else CREWED[ship]}"


SCRIPTS = [
    {
        "tool": "cancel_sailing",
        "args": {"ship": "isola"},
        "answers": [
            ["Really cancel", {"action": "accept", "content": {"value": True}}],
            ["passengers of isola", {"action": "accept", "content": {"value": "rebook"}}],
        ],
    },
    {"tool": "cancel_sailing", "args": {"ship": "isola"}, "answers": [["Really cancel", {"action": "decline"}]]},
    {
        "tool": "cancel_sailing",
        "args": {"ship": "isola"},
        "answers": [
            ["Really cancel", {"action": "accept", "content": {"value": True}}],
            ["passengers of isola", {"action": "decline"}],
        ],
    },
    {
        "tool": "cancel_sailing",
        "args": {"ship": "luna"},
        "answers": [["Really cancel", {"action": "accept", "content": {"value": True}}]],
    },
    {
        "tool": "crew",
        "args": {"ship": "stella"},
        "answers": [["Crew of stella", {"action": "accept", "content": {"value": 4}}]],
    },
]
