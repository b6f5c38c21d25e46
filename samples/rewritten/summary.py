"""Summarises documents with the client's own model, and files the summaries.

A long document is summarised part by part, then the parts together; the user sees the result before it is filed. The
documents are in SUMMARY_LIBRARY (the folder `library` beside this file), summaries go to SUMMARY_OUT (summaries).
"""

import os
from pathlib import Path
from typing import Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import InputRequiredResult, SamplingMessage, TextContent
from mrtr_steps import Step, Steps, form, numbered, sample
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


async def complete(ctx: Context, prompt: str, max_tokens: int, *, steps: Steps) -> str | InputRequiredResult:
    """What the client's model says."""
    answer = steps.sample("answer")
    if answer is None:
        return steps.ask(
            answer=sample(
                messages=[SamplingMessage(role="user", content=TextContent(type="text", text=prompt))],
                max_tokens=max_tokens,
            ),
        )
    if answer.content.type != "text":
        return "(no text)"
    return answer.content.text.strip()


class SummariseOutcome(Step):
    step: Literal["outcome"] = "outcome"
    parts: list[str]
    notes: list[str]
    at_2: int


class SummariseSummary(Step):
    step: Literal["summary"] = "summary"
    notes: list[str]
    joined: str


class SummariseReview(Step):
    step: Literal["review"] = "review"
    notes: list[str]
    summary: str


@mcp.tool()
async def summarise(document: str, ctx: Context, words: int = 60) -> str | InputRequiredResult:
    """Summarise a document of the library and file the summary."""
    steps = Steps(ctx)
    state = steps.resume(SummariseOutcome, SummariseSummary, SummariseReview)
    if state is None:
        try:
            text = read(document)
        except OSError:
            return f"There is no document {document}."
        note_use(document)
        parts = parts_of(text)[:MAX_PARTS]
        notes: list[str] = []
        at_2 = 0
    else:
        notes = state.notes
    if not isinstance(state, (SummariseSummary, SummariseReview)):
        if isinstance(state, SummariseOutcome):
            parts = state.parts
            at_2 = state.at_2
        for at_2, (number, part) in numbered(enumerate(parts, 1), at_2):
            outcome = await complete(
                ctx,
                f"Part {number} of {len(parts)}. Note the main points:\n\n{part}",
                200,
                steps=steps.inner(SummariseOutcome),
            )
            if isinstance(outcome, InputRequiredResult):
                return steps.pass_on(SummariseOutcome(parts=parts, notes=notes, at_2=at_2), outcome)
            state = None
            notes.append(
                outcome
            )
    if not isinstance(state, SummariseReview):
        if isinstance(state, SummariseSummary) or len(notes) > 1:
            if not isinstance(state, SummariseSummary):
                joined = "\n".join(f"- {note}" for note in notes)
            else:
                joined = state.joined
            summary = await complete(
                ctx,
                f"Make one summary of at most {words} words of these notes:\n{joined}",
                400,
                steps=steps.inner(SummariseSummary),
            )
            if isinstance(summary, InputRequiredResult):
                return steps.pass_on(SummariseSummary(notes=notes, joined=joined), summary)
        else:
            summary = notes[0]
    else:
        summary = state.summary

    review = steps.form("review", Review)
    if review is None:
        return steps.ask(
            SummariseReview(notes=notes, summary=summary),
            review=form(f"Summary of {document}:\n\n{summary}\n\nFile it?", Review),
        )
    if review.action == "cancel":
        return "Stopped; nothing was filed."
    if review.action == "decline" or not review.data.keep:
        return "Not filed."
    title = review.data.title or document
    file(title, summary)
    return f"Filed as {title}.md ({len(notes)} parts)."


class CompareOutcome(Step):
    step: Literal["outcome"] = "outcome"
    described: list[str]
    at: int
    opening: str


@mcp.prompt()
async def compare(first: str, second: str, ctx: Context) -> str | InputRequiredResult:
    """A prompt that compares two documents, from short descriptions of both."""
    steps = Steps(ctx)
    state = steps.resume(CompareOutcome)
    if state is None:
        described: list[str] = []
        at = 0
    else:
        described = state.described
        at = state.at
        opening = state.opening
    for at, document in numbered((first, second), at):
        if state is None:
            opening = read(document)[:PART]
        outcome = await complete(
            ctx,
            f"Describe in one sentence:\n\n{opening}",
            80,
            steps=steps.inner(CompareOutcome),
        )
        if isinstance(outcome, InputRequiredResult):
            return steps.pass_on(CompareOutcome(described=described, at=at, opening=opening), outcome)
        state = None
        described.append(outcome)
    return f"Compare.\n\n{first}: {described[0]}\n\n{second}: {described[1]}"


if __name__ == "__main__":
    mcp.run()
