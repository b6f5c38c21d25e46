"""Garden agent (FastMCP style): a model that calls tools, one of which asks the user."""

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_context

mcp = FastMCP("garden-agent")
EFFECTS: list[str] = []

BEDS = {"north": 12, "south": 40}


def soil(bed: str) -> int:
    """Soil moisture of a bed, in percent."""
    if bed not in BEDS:
        raise ToolError(f"no bed {bed}")
    return BEDS[bed]


async def water(bed: str, litres: int) -> str:
    """Water a bed; more than 20 litres only with the gardener's consent."""
    if litres > 20:
        fine = await get_context().elicit(f"{litres} litres on {bed}, really?", response_type=bool)
        if fine.action != "accept" or not fine.data:
            return "refused by the gardener"
    return f"{bed} got {litres}"


@mcp.tool
async def tend(wish: str, ctx: Context) -> str:
    """Let the model look after the garden."""
    done = await ctx.sample(
        f"Tend the garden: {wish}",
        system_prompt="Use the tools.",
        tools=[soil, water],
        model_preferences=["small", "fast"],
    )
    EFFECTS.append(f"report {done.text}")
    return f"{done.text} [{len(done.history)}]"


@mcp.tool
async def plan_step(wish: str, ctx: Context) -> str:
    """One step by hand: what would the model do?"""
    step = await ctx.sample_step(f"Plan: {wish}", tools=[soil, water], tool_choice="required", execute_tools=False)
    if not step.is_tool_use:
        return f"says {step.text}"
    wanted = ", ".join(f"{call.name}({call.input})" for call in step.tool_calls)
    go = await ctx.elicit(f"The model wants {wanted}. Note it down?", response_type=bool)
    if go.action == "accept" and go.data:
        EFFECTS.append(f"noted {wanted}")
        return f"noted {wanted}"
    return "dropped"


def _call(*calls: tuple) -> dict:
    blocks = [{"type": "tool_use", "id": i, "name": name, "input": given} for i, name, given in calls]
    return {"role": "assistant", "model": "tiny", "stopReason": "toolUse", "content": blocks}


def _text(text: str) -> dict:
    return {"role": "assistant", "model": "tiny", "content": {"type": "text", "text": text}, "stopReason": "endTurn"}


SCRIPTS = [
    {
        "tool": "tend",
        "args": {"wish": "all green"},
        "answers": [
            ["Tend the garden", _call(("1", "soil", {"bed": "north"}), ("2", "soil", {"bed": "west"}))],
            ["tool_use", _call(("3", "water", {"bed": "north", "litres": 30}), ("4", "dig", {}))],
            ["30 litres on north", {"action": "accept", "content": {"value": True}}],
            ["sample", _text("North is watered.")],
        ],
    },
    {
        "tool": "tend",
        "args": {"wish": "flood it"},
        "answers": [
            ["Tend the garden", _call(("1", "water", {"bed": "south", "litres": 90}))],
            ["90 litres", {"action": "decline"}],
            ["sample", _text("Nothing was done.")],
        ],
    },
    {"tool": "tend", "args": {"wish": "nothing"}, "answers": [["Tend the garden", _text("Fine as it is.")]]},
    {
        "tool": "plan_step",
        "args": {"wish": "roses"},
        "answers": [
            ["Plan: roses", _call(("1", "soil", {"bed": "south"}))],
            ["The model wants soil", {"action": "accept", "content": {"value": True}}],
        ],
    },
    {"tool": "plan_step", "args": {"wish": "rest"}, "answers": [["Plan: rest", _text("Rest.")]]},
]
