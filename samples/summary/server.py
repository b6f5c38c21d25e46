"""Summarises documents with the client's own model, and files the summaries.

A long document is summarised part by part, then the parts together; the user sees the result before it is filed. The
documents are in SUMMARY_LIBRARY (the folder `library` beside this file), summaries go to SUMMARY_OUT (summaries).
"""

import os
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel, Field

mcp = MCPServer("summary")

LIBRARY = Path(os.environ.get("SUMMARY_LIBRARY", Path(__file__).with_name("library")))
OUT = Path(os.environ.get("SUMMARY_OUT", "summaries"))
PART = 1_200
MAX_PARTS = 4


class Review(BaseModel):
    keep: bool = Field(description="File this summary?")
    title: str = Field(default="", description="Another title")


def parts_of(text: str) -> list[str]:
    """Whole paragraphs, together at most PART characters."""
    parts = [""]
    for paragraph in text.split("\n\n"):
        if parts[-1] and len(parts[-1]) + len(paragraph) > PART:
            parts.append("")
        parts[-1] += paragraph.strip() + "\n\n"
    return [part.strip() for part in parts]


def read(document: str) -> str:
    return (LIBRARY / f"{document}.txt").read_text()


def file(title: str, summary: str) -> None:
    OUT.mkdir(exist_ok=True)
    (OUT / f"{title}.md").write_text(f"# {title}\n\n{summary}\n")


def note_use(document: str) -> None:
    """Count who is read."""
    OUT.mkdir(exist_ok=True)
    with (OUT / "used.log").open("a") as log:
        log.write(f"{document}\n")


async def complete(ctx: Context, prompt: str, max_tokens: int) -> str:
    """What the client's model says."""
    answer = await ctx.session.create_message(
        messages=[SamplingMessage(role="user", content=TextContent(type="text", text=prompt))],
        max_tokens=max_tokens,
    )
    if answer.content.type != "text":
        return "(no text)"
    return answer.content.text.strip()


@mcp.tool()
async def summarise(document: str, ctx: Context, words: int = 60) -> str:
    """Summarise a document of the library and file the summary."""
    try:
        text = read(document)
    except OSError:
        return f"There is no document {document}."
    note_use(document)
    parts = parts_of(text)[:MAX_PARTS]
    notes: list[str] = []
    for number, part in enumerate(parts, 1):
        notes.append(
            await complete(ctx, f"Part {number} of {len(parts)}. Note the main points:\n\n{part}", 200)
        )
    if len(notes) > 1:
        joined = "\n".join(f"- {note}" for note in notes)
        summary = await complete(
            ctx, f"Make one summary of at most {words} words of these notes:\n{joined}", 400
        )
    else:
        summary = notes[0]

    review = await ctx.elicit(f"Summary of {document}:\n\n{summary}\n\nFile it?", Review)
    if review.action == "cancel":
        return "Stopped; nothing was filed."
    if review.action == "decline" or not review.data.keep:
        return "Not filed."
    title = review.data.title or document
    file(title, summary)
    return f"Filed as {title}.md ({len(notes)} parts)."


@mcp.prompt()
async def compare(first: str, second: str, ctx: Context) -> str:
    """A prompt that compares two documents, from short descriptions of both."""
    described: list[str] = []
    for document in (first, second):
        opening = read(document)[:PART]
        described.append(await complete(ctx, f"Describe in one sentence:\n\n{opening}", 80))
    return f"Compare.\n\n{first}: {described[0]}\n\n{second}: {described[1]}"


if __name__ == "__main__":
    mcp.run()
