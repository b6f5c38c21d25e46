"""Clinic intake (FastMCP style): structured sampling, retried when the model hands in what is not of the type."""

from enum import Enum

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from pydantic import BaseModel, Field

mcp = FastMCP("clinic-intake")
EFFECTS: list[str] = []


class Urgency(str, Enum):
    LOW = "low"
    HIGH = "high"


class Intake(BaseModel):
    complaint: str
    urgency: Urgency
    days: int = Field(ge=0)


@mcp.tool
async def intake(note: str, ctx: Context) -> str:
    """Turn a free note into an intake record, which a nurse confirms if it is urgent."""
    try:
        read = await ctx.sample(
            f"Read this note: {note}", system_prompt="You are a careful clerk.", result_type=Intake, max_tokens=200
        )
    except RuntimeError as error:
        EFFECTS.append("unread note")
        raise ToolError(f"not understood ({str(error).split(':')[0]})") from error
    record = read.result
    if record.urgency is Urgency.HIGH:
        seen = await ctx.elicit(f"Urgent: {record.complaint} for {record.days} days. Page the doctor?", bool)
        if seen.action == "accept" and seen.data:
            EFFECTS.append(f"page: {record.complaint}")
            return f"paged ({read.text})"
    EFFECTS.append(f"queue: {record.complaint}")
    return f"queued, {len(read.history)} messages"


@mcp.tool
async def count_visits(note: str, ctx: Context) -> str:
    """How many visits a note mentions; a plain number as the type."""
    visits = await ctx.sample(["Count the visits.", note], result_type=int, temperature=0.0)
    return f"{visits.result + 1} with this one ({visits.text})"


def _hand_in(call: str, **given: object) -> dict:
    block = {"type": "tool_use", "id": call, "name": "final_response", "input": given}
    return {"role": "assistant", "model": "tiny", "stopReason": "toolUse", "content": [block]}


def _text(text: str) -> dict:
    return {"role": "assistant", "model": "tiny", "content": {"type": "text", "text": text}}


SCRIPTS = [
    {
        "tool": "intake",
        "args": {"note": "fever since monday"},
        "answers": [
            ["Read this note", _hand_in("c1", complaint="fever", urgency="high", days=3)],
            ["Urgent: fever", {"action": "accept", "content": {"value": True}}],
        ],
    },
    {
        "tool": "intake",
        "args": {"note": "itchy ear"},
        "answers": [
            ["Read this note", _text("The ear itches.")],
            ["Read this note", _hand_in("c1", complaint="itch", urgency="low", days=1)],
        ],
    },
    {
        "tool": "intake",
        "args": {"note": "???"},
        "answers": [["Read this note", _text("I can't say.")] for _ in range(4)],
    },
    {
        "tool": "count_visits",
        "args": {"note": "twice in May"},
        "answers": [["Count the visits", _hand_in("c1", value=2)]],
    },
]
