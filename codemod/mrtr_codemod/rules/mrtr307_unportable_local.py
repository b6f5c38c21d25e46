"""MRTR307: a local that JSON cannot carry is needed after an ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mrtr_codemod.analysis.live import live_across
from mrtr_codemod.analysis.portable import hindrance
from mrtr_codemod.analysis.view import FunctionView
from mrtr_codemod.model import Finding, Level
from mrtr_codemod.rules.base import MRTR_SPEC, Rule

if TYPE_CHECKING:
    from mrtr_codemod.analysis.view import FileView

_HEAD = """
from dataclasses import dataclass
from decimal import Decimal
from fastmcp import Context, FastMCP
import re, sqlite3
mcp = FastMCP("desk")
@dataclass
class Report:
    done: int = 0
class Cursor:
    def __init__(self, rows) -> None:
        self.rows = rows
"""
_FILE = (
    _HEAD
    + """
@mcp.tool
async def note(path: str, ctx: Context) -> str:
    out = open(path, "a")
    answer = await ctx.elicit("What shall I note?", response_type=str)
    out.write(str(answer))
    return "noted"
"""
)
_OBJECT = (
    _HEAD
    + """
@mcp.tool
async def page(ctx: Context) -> str:
    cursor = Cursor([1, 2])
    answer = await ctx.elicit("More?", response_type=bool)
    return f"{cursor.rows} {answer.action}"
"""
)
_GENERATOR = (
    _HEAD
    + """
@mcp.tool
async def page(ctx: Context) -> str:
    rows = (n for n in range(9))
    answer = await ctx.elicit("More?", response_type=bool)
    return f"{next(rows)} {answer.action}"
"""
)
_CARRIED = (
    _HEAD
    + """
@mcp.tool
async def refund(ctx: Context) -> str:
    report, paid = Report(), Decimal("12.5")
    answer = await ctx.elicit("How much?", response_type=int)
    return f"{report.done} {paid} {answer.action}"
"""
)
_DEAD = (
    _HEAD
    + """
@mcp.tool
async def check(path: str, ctx: Context) -> str:
    found = re.match("a", path)
    if not found:
        return "no"
    answer = await ctx.elicit("More?", response_type=bool)
    return answer.action
"""
)


def check(view: FileView) -> Iterator[Finding]:
    """One finding a local."""
    for scope in view.replayed:
        seen: set[str] = set()
        for statement, locals_ in live_across(scope) if isinstance(scope, FunctionView) else ():
            for local in locals_:
                reason = hindrance(scope, local)
                if reason is None or local.name in seen:
                    continue
                seen.add(local.name)
                text = (
                    f"`{local.name}` is needed after the ask on line {statement.lineno}, but JSON cannot "
                    f"carry {reason}"
                )
                place = local.value if local.value is not None else local.node
                yield view.finding(RULE, place, text, scope=scope.scope, related=[("the ask", statement)])


RULE = Rule(
    code="MRTR307",
    name="unportable-local",
    level=Level.WARNING,
    summary="A local that JSON cannot carry is needed after an ask.",
    what="Finds locals that are set before an ask and read after it, and that are files, connections, locks, "
    "tasks, processes, iterators, functions, matches of a regular expression, or objects of a class without "
    "declared fields.",
    why="What later code needs must survive the end of the call in `requestState`, as inert data. An open "
    "file or a cursor cannot; and state must never be unpickled into live objects.",
    example='```python\nout = open(path, "a")\nanswer = await ctx.elicit("A note?", Note)\nout.write(str(answer))\n```',
    remedy="Carry what the object was made from (the path, the query, the position) and make it again after "
    "the ask; or make its class a dataclass or a pydantic model. The adapter makes it anew by itself, as it "
    "runs the code above again.",
    reference=MRTR_SPEC,
    check=check,
    valid=(_CARRIED, _DEAD),
    invalid=(_FILE, _OBJECT, _GENERATOR),
)
