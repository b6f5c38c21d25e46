"""Signal box (FastMCP style): tools out of classes: bound methods, a mixin, a Tool subclass, a transformed tool."""

from typing import Any

from fastmcp import Context, FastMCP
from fastmcp.contrib.mcp_mixin import MCPMixin, mcp_tool
from fastmcp.server.dependencies import get_context
from fastmcp.tools import Tool, ToolResult

EFFECTS: list[str] = []


class Points:
    """Points of a junction, switched by hand."""

    def __init__(self) -> None:
        self.at = {"p1": "left", "p2": "right"}

    async def _ask(self, ctx: Context, question: str) -> bool:
        answer = await ctx.elicit(question, response_type=bool)
        return answer.action == "accept" and answer.data

    async def switch(self, name: str, ctx: Context) -> str:
        """Switch points to the other side."""
        other = {"left": "right", "right": "left"}[self.at[name]]
        if not await self._ask(ctx, f"Switch {name} to {other}?"):
            return f"{name} stays {self.at[name]}"
        self.at[name] = other
        EFFECTS.append(f"{name} {other}")
        return f"{name} is {other}"


class Signals(MCPMixin):
    """Signals, registered by the mixin."""

    @mcp_tool(name="set_signal", description="Set a signal.")
    async def set_signal(self, signal: str) -> str:
        aspect = await get_context().elicit(f"Aspect of {signal}?", response_type=["red", "green"])
        if aspect.action != "accept":
            return f"{signal} unchanged"
        EFFECTS.append(f"{signal} {aspect.data}")
        return f"{signal} shows {aspect.data}"


class Closure(Tool):
    """A tool as a class of its own."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        ctx = get_context()
        why = await ctx.elicit(f"Why close track {arguments['track']}?", response_type=str)
        text = f"track {arguments['track']} closed: {why.data}" if why.action == "accept" else "open"
        EFFECTS.append(text)
        return ToolResult(content=text)


mcp = FastMCP("signal-box")
points = Points()
mcp.tool(points.switch)
Signals().register_all(mcp)
mcp.add_tool(
    Closure(
        name="close_track",
        description="Close a track.",
        parameters={"type": "object", "properties": {"track": {"type": "integer"}}, "required": ["track"]},
    )
)


async def _flash(lamp: str, times: int, ctx: Context) -> str:
    """Flash a lamp."""
    ok = await ctx.elicit(f"Flash {lamp} {times} times?", response_type=bool)
    return f"{lamp} {times}" if ok.action == "accept" and ok.data else f"{lamp} dark"


mcp.add_tool(Tool.from_tool(Tool.from_function(_flash, name="flash"), name="flash_lamp"))

SCRIPTS = [
    {
        "tool": "switch",
        "args": {"name": "p1"},
        "answers": [["Switch p1 to right", {"action": "accept", "content": {"value": True}}]],
    },
    {"tool": "switch", "args": {"name": "p2"}, "answers": [["Switch p2 to left", {"action": "cancel"}]]},
    {
        "tool": "set_signal",
        "args": {"signal": "s4"},
        "answers": [["Aspect of s4", {"action": "accept", "content": {"value": "green"}}]],
    },
    {
        "tool": "close_track",
        "args": {"track": 3},
        "answers": [["Why close track 3", {"action": "accept", "content": {"value": "leaves"}}]],
    },
    {
        "tool": "flash_lamp",
        "args": {"lamp": "l1", "times": 2},
        "answers": [["Flash l1 2 times", {"action": "accept", "content": {"value": True}}]],
    },
]
