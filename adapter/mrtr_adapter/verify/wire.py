"""What passes between the command and a process that runs the server: JSON over a pipe of their own.

Never pickled: what comes back was made by somebody else's code.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter


class Work(BaseModel):
    """One thing to do in a fresh process."""

    kind: Literal["native", "round", "catalog"]
    """A whole call on 2025-11-25, one round of it on 2026-07-28, or a list of what the server has."""
    file: str
    """Of the server, in the folder of the run."""
    object: str | None = None
    folder: str
    """The working directory."""
    temporary: str
    """For temporary files."""
    key: str
    """Seals `requestState`; the same in all rounds."""
    method: str = ""
    params: dict[str, Any] = Field(default_factory=dict)
    capabilities: dict[str, Any] = Field(default_factory=dict)
    trace: bool = False
    """Whether to tell which lines of the file were run."""


class Effect(BaseModel):
    """Something done to the world: the audit event, what it was done to, and the line of the server's code."""

    event: str
    what: str
    file: str
    line: int


class Seen(BaseModel):
    """What was observed in one process."""

    effects: list[Effect] = Field(default_factory=list)
    swallowed: bool = False
    """Whether the handler went on, although the round had ended with its question."""
    awaited: bool = False
    """Whether the adapter had to suspend the handler: it is in await style."""
    unreached: list[str] = Field(default_factory=list)
    """Keys of this round whose question the replay has not come to again."""
    arcs: list[tuple[int, int]] = Field(default_factory=list)
    """Steps from line to line in the server's file."""


class Ask(BaseModel):
    """A question that the server pushes natively."""

    type: Literal["ask"] = "ask"
    method: str
    params: dict[str, Any]
    group: int
    """The number of the group of questions that are open at the same time."""
    waiting: int = 1
    """How many of them are still to be answered."""


class Reply(BaseModel):
    """What the client says to it."""

    answer: dict[str, Any] | None = None
    """None with `missing`, and if the run is to end here."""
    missing: bool = False


class Done(BaseModel):
    """The end of the work."""

    type: Literal["done"] = "done"
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    """Of the protocol. Without it and without a result, a question was left unanswered."""
    seen: Seen = Field(default_factory=Seen)


class Cannot(BaseModel):
    """It can't be done; says why."""

    type: Literal["cannot"] = "cannot"
    reason: str


Said = Ask | Done | Cannot
SAID: TypeAdapter[Said] = TypeAdapter(Annotated[Said, Field(discriminator="type")])
