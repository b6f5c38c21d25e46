"""A mailing list, where a decorator asks before anything is sent: a pattern that no rewrite can split soundly.

It runs under the adapter as it is. MAILROOM (the folder `mail` in the working directory) holds what was sent.
"""

import functools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Concatenate, ParamSpec

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field

mcp = MCPServer("mailroom")

OUT = Path(os.environ.get("MAILROOM", "mail"))
LISTS = {
    "team": ["ada", "grace"],
    "press": ["daily", "weekly", "radio"],
    "all": ["ada", "grace", "daily", "weekly"],
}

P = ParamSpec("P")
Handler = Callable[Concatenate[Context, P], Awaitable[str]]


class Approve(BaseModel):
    approve: bool = Field(description="Go ahead?")


class Correction(BaseModel):
    subject: str = Field(min_length=3)


def confirmed(what: str) -> Callable[[Handler[P]], Handler[P]]:
    """Ask before the tool runs; `what` may use the tool's arguments."""

    def decorate(handler: Handler[P]) -> Handler[P]:
        @functools.wraps(handler)
        async def asking(ctx: Context, *args: P.args, **kwargs: P.kwargs) -> str:
            answer = await ctx.elicit(f"Really {what.format(**kwargs)}?", Approve)
            if answer.action != "accept" or not answer.data.approve:
                return "Not done."
            return await handler(ctx, *args, **kwargs)

        return asking

    return decorate


def deliver(recipient: str, subject: str, text: str) -> None:
    OUT.mkdir(exist_ok=True)
    (OUT / f"{recipient}.txt").write_text(f"Subject: {subject}\n\n{text}\n")


# mrtr: manual[ask-in-decorator] the decorator `confirmed` asks
@mcp.tool()
@confirmed("send {subject!r} to the list {to}")
async def send(ctx: Context, to: str, subject: str, text: str) -> str:
    """Send a message to everybody on a list."""
    recipients = LISTS.get(to, [])
    if not recipients:
        return f"There is no list {to}."
    if len(subject) < 3:
        better = await ctx.elicit(f"{subject!r} is a short subject. Another one?", Correction)
        if better.action == "cancel":
            return "Nothing sent."
        if better.action == "accept":
            subject = better.data.subject
    for recipient in recipients:
        deliver(recipient, subject, text)
    return f"Sent {subject!r} to {len(recipients)}."


# mrtr: manual[ask-in-decorator] the decorator `confirmed` asks
@mcp.tool()
@confirmed("withdraw what {recipient} was sent")
async def withdraw(ctx: Context, recipient: str) -> str:
    """Take a message back."""
    try:
        (OUT / f"{recipient}.txt").unlink()
    except FileNotFoundError:
        return f"{recipient} has no message."
    return f"Withdrawn from {recipient}."


if __name__ == "__main__":
    mcp.run()
