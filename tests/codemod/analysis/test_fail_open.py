"""Which confirmations fail open: each twin differs from the other in what happens when the user cannot be asked."""

from __future__ import annotations

import textwrap

import pytest

from mrtr_codemod.check import Options, check
from mrtr_codemod.model import Level
from mrtr_codemod.source import SourceFile

HEAD = """
import asyncio, os, logging
from contextlib import suppress
import anyio
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from mcp.shared.exceptions import McpError
log = logging.getLogger("x")
mcp = FastMCP("files")
STRICT = bool(os.environ.get("STRICT"))

@mcp.tool
async def delete(path: str, ctx: Context, force: bool = False) -> str:
"""

OPEN = {
    "assumed yes in the except": """
        try:
            ok = (await ctx.elicit("Delete?", bool)).action == "accept"
        except ToolError:
            ok = True
        if ok:
            os.remove(path)
        return "done"
    """,
    "retry that gives up and goes on": """
        for attempt in range(3):
            try:
                answer = await ctx.elicit("Delete?", bool)
                if answer.action != "accept":
                    return "kept"
                break
            except Exception:
                await asyncio.sleep(1)
        os.remove(path)
        return "gone"
    """,
    "timeout taken for a yes": """
        try:
            answer = await asyncio.wait_for(ctx.elicit("Delete?", bool), 30)
            if answer.action != "accept":
                return "kept"
        except asyncio.TimeoutError:
            log.info("nobody there")
        os.remove(path)
        return "gone"
    """,
    "move on after a while": """
        refused = False
        with anyio.move_on_after(5):
            refused = (await ctx.elicit("Delete?", bool)).action != "accept"
        if not refused:
            os.remove(path)
        return "done"
    """,
    "unrelated test between": """
        try:
            answer = await ctx.elicit("Delete?", bool)
            if answer.action == "decline":
                return "kept"
            if answer.action == "cancel":
                return "stopped"
        except (McpError, ValueError) as error:
            log.warning("%s", error)
        if not path:
            return "nothing to do"
        os.remove(path)
        return "gone"
    """,
    "no forms, no question": """
        answer = None
        try:
            answer = await ctx.elicit("Delete?", bool)
        except Exception as error:
            if "not supported" not in str(error):
                raise
        if answer is not None and answer.action != "accept":
            return "kept"
        os.remove(path)
        return "gone"
    """,
    "nested except": """
        try:
            try:
                answer = await ctx.elicit("Delete?", bool)
            except McpError:
                raise
            if answer.action != "accept":
                return "kept"
        except Exception:
            pass
        os.remove(path)
        return "gone"
    """,
    "act in the except": """
        try:
            answer = await ctx.elicit("Delete?", bool)
        except Exception:
            os.remove(path)
            return "gone"
        if answer.action == "accept":
            os.remove(path)
        return "done"
    """,
    "match with a fallback": """
        try:
            action = (await ctx.elicit("Delete?", bool)).action
        except Exception:
            action = "accept"
        match action:
            case "accept":
                os.remove(path)
                return "gone"
            case _:
                return "kept"
    """,
}
CLOSED = {
    "assumed no in the except": """
        try:
            ok = (await ctx.elicit("Delete?", bool)).action == "accept"
        except ToolError:
            ok = False
        if ok:
            os.remove(path)
        return "done"
    """,
    "retry that gives up": """
        for attempt in range(3):
            try:
                answer = await ctx.elicit("Delete?", bool)
                if answer.action != "accept":
                    return "kept"
                break
            except Exception:
                await asyncio.sleep(1)
        else:
            return "could not ask"
        os.remove(path)
        return "gone"
    """,
    "timeout taken for a no": """
        try:
            answer = await asyncio.wait_for(ctx.elicit("Delete?", bool), 30)
        except asyncio.TimeoutError:
            return "nobody there"
        if answer.action != "accept":
            return "kept"
        os.remove(path)
        return "gone"
    """,
    "flag set after the yes": """
        agreed = False
        with suppress(Exception):
            agreed = (await ctx.elicit("Delete?", bool)).action == "accept"
        if agreed:
            os.remove(path)
        return "done"
    """,
    "raised again": """
        try:
            answer = await ctx.elicit("Delete?", bool)
        except Exception as error:
            raise ToolError("could not ask") from error
        if answer.action != "accept":
            return "kept"
        os.remove(path)
        return "gone"
    """,
    "none is a no": """
        answer = None
        with suppress(McpError):
            answer = await ctx.elicit("Delete?", bool)
        if answer is None or answer.action != "accept":
            return "kept"
        os.remove(path)
        return "gone"
    """,
    "narrow except about something else": """
        try:
            answer = await ctx.elicit("Delete?", bool)
            if answer.action != "accept":
                return "kept"
            size = int(path)
        except ValueError:
            size = 0
        os.remove(path)
        return "gone"
    """,
    "logging and an audit line only": """
        try:
            answer = await ctx.elicit("Delete?", bool)
        except Exception as error:
            log.exception("could not ask")
            await ctx.error(str(error))
            return "could not ask"
        finally:
            log.info("asked")
        if answer.action == "accept":
            os.remove(path)
        return "done"
    """,
    "asked in another way instead": """
        try:
            answer = await ctx.elicit("Delete?", bool)
            ok = answer.action == "accept"
        except Exception:
            ok = await approved_by_mail(path)
        if ok:
            os.remove(path)
        return "done"
    """,
    "what happens either way": """
        try:
            answer = await ctx.elicit("Any remarks?", str)
            remark = answer.data if answer.action == "accept" else ""
        except Exception:
            remark = ""
        os.remove(path)
        return remark
    """,
    "the whole handler": """
        try:
            answer = await ctx.elicit("Delete?", bool)
            if answer.action != "accept":
                raise ToolError("kept")
            os.remove(path)
            return "gone"
        except ToolError as error:
            return str(error)
    """,
}
HEDGED = """
        try:
            answer = await ctx.elicit("Delete?", bool)
            if answer.action != "accept":
                return "kept"
        except Exception:
            if not force:
                return "could not ask; call again with force"
        os.remove(path)
        return "gone"
"""


def levels(body: str) -> list[Level]:
    source = SourceFile("server.py", HEAD + textwrap.indent(textwrap.dedent(body), "    "))
    report = check([source], Options(select=frozenset({"MRTR303"})))
    assert not report.failures
    return [finding.level for finding in report.findings]


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN.keys())
def test_an_act_without_an_answer_is_an_error(body: str) -> None:
    assert levels(body) == [Level.ERROR]


@pytest.mark.parametrize("body", CLOSED.values(), ids=CLOSED.keys())
def test_a_twin_that_fails_closed_stays_silent(body: str) -> None:
    assert levels(body) == []


def test_an_act_on_the_word_of_an_argument_is_a_warning() -> None:
    assert levels(HEDGED) == [Level.WARNING]
