"""An outcome to show: a small server, with facts about it as a check would find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.model import Ask, AskKind, Failure, Finding, Handler, Level, LiveLocal, Span, Verdict
from mrtr_codemod.report.outcome import Outcome
from mrtr_codemod.report.rulebook import RuleDoc
from mrtr_codemod.source import CellLine, SourceFile
from mrtr_codemod.triage import By, Suppressed

if TYPE_CHECKING:
    from collections.abc import Iterable

SERVER = '''\
import asyncio

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("files")


async def confirm(ctx: Context, question: str) -> bool:
    answer = await ctx.elicit(question, Confirm)
    return answer.action == "accept" and answer.data.ok


@server.tool()
async def purge(paths: list[str], ctx: Context) -> str:
    """Delete files once the user agrees."""
    if not paths:
        return "Nothing to delete."
    snapshot = await take_snapshot(paths)
    try:
        answer = await ctx.elicit(f"Delete {len(paths)} files (snapshot {snapshot})?", Confirm)
        if answer.action != "accept":
            return "Kept."
    except Exception:
        log.warning("could not ask")
    await storage.delete(paths)
    return f"Deleted {len(paths)} files."


@server.tool()
async def pick_handle(ctx: Context) -> str:
    attempts = 0
    prompt = "Which handle?"
    while attempts < 3:
        choice = await ctx.elicit(prompt, Handle)
        if choice.action != "accept":
            return "No handle."
        if is_free(choice.data.name):
            break
        attempts += 1
        prompt = f"{choice.data.name} is taken. Another one?"
    else:
        raise ToolError("Three times is enough.")
    return await register(choice.data.name)


@server.tool()
async def plan(ctx: Context) -> str:
    day, budget = await asyncio.gather(
        ctx.elicit("Which day?", Day),
        ctx.session.create_message(messages(), max_tokens=200),
    )
    if day.data.weekend:
        sure = await confirm(ctx, "At the weekend?")
    return f"{day} {budget} {sure}"


@server.tool()
async def ping() -> str:
    return "pong"
'''

NOTEBOOK_LINES = ("import mcp", "answer = await ctx.elicit('Notebook?', Confirm)")


def span(source: SourceFile, piece: str, *, after: str = "") -> Span:
    """Where `piece` stands in `source`, the first time behind `after`."""
    text = source.text
    start = text.index(piece, text.index(after) if after else 0)
    end = start + len(piece)
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return Span(source.path, line, column, text.count("\n", 0, end) + 1, end - text.rfind("\n", 0, end))


def rule_docs(codes: Iterable[str], level: Level = Level.WARNING) -> dict[str, RuleDoc]:
    """Documentation for made-up rules."""
    return {
        code: RuleDoc(
            code=code,
            name=f"rule-{code[-3:]}",
            level=level,
            summary=f"What `{code}` finds.",
            what=f"Finds what {code} is about.",
            why="It is *bad* for <users>.",
            example="```python\nawait ctx.elicit('<b>?', A)\n```",
            remedy="- Use `memo`.\n- Or do not.",
            reference="https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr",
        )
        for code in codes
    }


def sample(server: str = SERVER, path: str = "src/files.py") -> Outcome:
    """Findings of every level, all verdicts but two, a helper, a loop, a gather, a notebook, a failure."""
    source = SourceFile(path, server)
    notebook = SourceFile("demo.ipynb", "\n".join(NOTEBOOK_LINES), (CellLine(2, 1, 9), CellLine(4, 1, 31)))
    ask = span(source, 'ctx.elicit(f"Delete')
    open_except = Finding(
        "MRTR303",
        Level.ERROR,
        "`storage.delete` runs although the question failed: this except goes on",
        span(source, "except Exception:"),
        "purge",
        related=(("the question", ask),),
    )
    effect = Finding(
        "MRTR301",
        Level.WARNING,
        "take_snapshot() runs again in every round",
        span(source, "await take_snapshot(paths)"),
        "purge",
    )
    loop = Finding("MRTR310", Level.WARNING, "asks in a loop", span(source, "while attempts"), "pick_handle")
    asks = [
        Finding("MRTR101", Level.INFO, "asks by form", place, handler)
        for place, handler in [(ask, "purge"), (span(source, "ctx.elicit(prompt, Handle)"), "pick_handle")]
    ]
    in_notebook = Finding(
        "MRTR101", Level.INFO, "asks by form", span(notebook, "ctx.elicit('Notebook?', Confirm)")
    )
    accepted = Finding(
        "MRTR103", Level.INFO, "asks for sampling", span(source, "ctx.session.create_message("), "plan"
    )
    handlers = (
        Handler(
            "purge",
            "mcp",
            "tools/call",
            span(source, "async def purge"),
            asks=(Ask(AskKind.FORM, ask, question='f"Delete {len(paths)} files (snapshot {snapshot})?"'),),
            live=(LiveLocal("snapshot", "int", span(source, "snapshot = await")),),
            hazards=(effect, open_except),
            rounds=1,
            verdict=Verdict.BY_HAND,
            reason="the `except` must first refuse instead of going on",
        ),
        Handler(
            "pick_handle",
            "mcp",
            "tools/call",
            span(source, "async def pick_handle"),
            asks=(Ask(AskKind.FORM, span(source, "ctx.elicit(prompt, Handle)"), question="prompt"),),
            live=(
                LiveLocal("attempts", "int", span(source, "attempts = 0")),
                LiveLocal("prompt", None, span(source, 'prompt = "Which')),
            ),
            hazards=(loop,),
            rounds=3,
            verdict=Verdict.REWRITE_REVIEW,
            reason="`attempts` and `prompt` travel in the state",
        ),
        Handler(
            "plan",
            "mcp",
            "tools/call",
            span(source, "async def plan"),
            asks=(
                Ask(AskKind.FORM, span(source, 'ctx.elicit("Which day?"'), question='"Which day?"'),
                Ask(AskKind.SAMPLING, span(source, "ctx.session.create_message("), question="messages()"),
                Ask(
                    AskKind.FORM,
                    span(source, "ctx.elicit(question"),
                    via=(span(source, 'confirm(ctx, "At'),),
                    question="question",
                ),
            ),
            rounds=2,
            verdict=Verdict.ADAPTER,
            reason="a helper asks, and two asks are awaited together",
        ),
        Handler("ping", "mcp", "tools/call", span(source, "async def ping")),
    )
    return Outcome(
        files=4,
        findings=(in_notebook, effect, asks[0], open_except, loop, asks[1]),
        suppressed=(Suppressed(accepted, By.COMMENT, "sampling stays for now"),),
        handlers=handlers,
        failures=(Failure("src/old.py", "is Python 2: Missing parentheses in call to 'print' (line 3)"),),
        sources={source.path: source, notebook.path: notebook},
        rules=rule_docs(["MRTR101", "MRTR103", "MRTR301", "MRTR303", "MRTR310"]),
    )
