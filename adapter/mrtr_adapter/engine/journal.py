"""What a flow carries from round to round, under the seal of `requestState`.

The journal is inert data: JSON, validated by a strict schema, and nothing is ever built from it but the values that
the client once sent. Its text starts with `mrtr1.`, which tells it from the state of a handler that keeps its own.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Mapping
from typing import Any, TypeGuard

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mrtr_adapter.engine.nesting import JOURNAL_LEVELS, deeper_than
from mrtr_adapter.engine.suspension import InvalidState

PREFIX = "mrtr1."
FAMILY = "mrtr"
"""Any format version of ours starts like this."""


class _Data(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", populate_by_name=True)


class Asked(_Data):
    """A question that is open: its digest, and its place among equal questions of the flow."""

    digest: str = Field(alias="q", max_length=32)
    occurrence: int = Field(alias="n", default=0, ge=0)
    text: str | None = Field(alias="t", default=None, max_length=200)
    """What it said, kept only once a handler has begun to change its questions."""


class Answered(_Data):
    """An answer, exactly as the client sent it, and the question that it answers."""

    digest: str = Field(alias="q", max_length=32)
    occurrence: int = Field(alias="n", default=0, ge=0)
    answer: dict[str, Any] = Field(alias="a")
    checked: bool = Field(alias="c", default=True)
    """False while no replay has come to its question, so that nobody has held it against the schema yet."""


class Recorded(_Data):
    """What `memo` or `once` recorded under a name: a value as JSON, or an exception as text."""

    value: Any = Field(alias="v", default=None)
    error: str | None = Field(alias="e", default=None)
    effect: bool = Field(alias="x", default=False)
    """True for `once`: it must not be done again, whatever becomes of the handler."""


class Inner(_Data):
    """The round of a handler in step form or with `Resolve(...)`, inside a flow of ours."""

    state: str | None = Field(alias="s", default=None)
    responses: dict[str, Any] | None = Field(alias="r", default=None)
    open: bool = Field(alias="o", default=False)
    """True if this state went out with questions of the handler's own, whose answers are still to come."""


class Journal(_Data):
    """One flow between two of its rounds. Times are seconds since the epoch."""

    flow: str = Field(alias="f", max_length=32)
    round: int = Field(alias="r", ge=1)
    """How many rounds have ended with a question."""
    deadline: int = Field(alias="d")
    """When the whole flow expires, whatever the client does."""
    nonce: str = Field(alias="i", max_length=32)
    """Names this one state, so that it can be redeemed once."""
    handler: str = Field(alias="h", default="", max_length=32)
    """Fingerprint of the handler's code."""
    began: int = Field(alias="b", default=0, ge=0)
    """When the first round began, in milliseconds since the epoch."""
    trace: str | None = Field(alias="p", default=None, pattern=r"^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$")
    """The span of the first round as a W3C `traceparent`, if somebody recorded it."""
    answers: list[Answered] = Field(alias="a", default_factory=list)
    asked: dict[str, Asked] = Field(alias="o", default_factory=dict)
    """The questions of the round that has just ended, by their key on the wire."""
    changes: int = Field(alias="c", default=0, ge=0)
    """Consecutive rounds in which the handler asked something else than what had just been answered."""
    raised: bool = Field(alias="u", default=False)
    """True if the round ended with URL requests that the handler raised as error -32042."""
    sent: str = Field(alias="s", default="")
    """Notifications that went out: four characters each."""
    shed: list[Any] = Field(alias="l", default_factory=list)
    """What the handler handed to `shed()`, in order."""
    seed: str | None = Field(alias="e", default=None, max_length=64)
    """Of the flow's recorded randomness, hex; set once the handler has drawn any."""
    inner: Inner | None = Field(alias="x", default=None)
    kept: dict[str, Recorded] = Field(alias="m", default_factory=dict)
    """By the name that the handler gave."""
    times: list[int] = Field(alias="t", default_factory=list)
    """Readings of `now()`, in order, in microseconds."""
    single: bool = Field(alias="k", default=False)
    """Whether this state may be redeemed once only."""
    registered: bool = Field(alias="g", default=False)
    """Whether a store that other processes share knows of this state, so that nobody else may redeem it."""

    @property
    def entries(self) -> int:
        """How many things are recorded here."""
        return len(self.answers) + len(self.shed) + len(self.kept) + len(self.times)

    def restarted(self) -> Journal:
        """The journal for a changed handler that begins anew: only effects that were done once are kept."""
        done = {name: recorded for name, recorded in self.kept.items() if recorded.effect}
        return Journal(
            flow=self.flow,
            round=self.round,
            deadline=self.deadline,
            nonce=self.nonce,
            began=self.began,
            trace=self.trace,
            sent=self.sent,
            kept=done,
            single=self.single,
            registered=self.registered,
        )

    def seal_text(self) -> str:
        """The plaintext of `requestState`."""
        body = self.model_dump(by_alias=True, exclude_defaults=True)
        return PREFIX + json.dumps(body, separators=(",", ":"))

    def largest_entry(self, asked: Mapping[str, str]) -> str:
        """In words, what takes the most room. `asked` has the text of questions, by their digest."""
        sizes = {
            f"the answer to question {asked.get(entry.digest, entry.digest)!r}": _size(entry.answer)
            for entry in self.answers
        }
        sizes |= {f"what was recorded as {name!r}": _size(entry.value) for name, entry in self.kept.items()}
        sizes |= {f"what was shed at place {place}": _size(value) for place, value in enumerate(self.shed, 1)}
        if not sizes:
            return "no single entry is large"
        name = max(sizes, key=sizes.__getitem__)
        return f"{name}, {sizes[name]} bytes"


def _size(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def is_ours(state: object) -> TypeGuard[str]:
    """Whether this plaintext was written by the adapter, in whatever version."""
    return isinstance(state, str) and state.startswith(FAMILY)


def redeem(state: str) -> Journal:
    """Read a journal out of verified plaintext.

    Raises:
        InvalidState: another format version, not our schema, or past the flow's deadline.
    """
    if not state.startswith(PREFIX):
        raise InvalidState("state of another format version")
    try:
        body = json.loads(state[len(PREFIX) :])
        if deeper_than(body, JOURNAL_LEVELS):
            raise InvalidState("journal nested too deeply")
        journal = Journal.model_validate(body)
    except (ValueError, ValidationError, RecursionError) as error:
        raise InvalidState("malformed journal") from error
    if journal.deadline <= time.time():
        raise InvalidState("flow past its lifetime")
    return journal


def new_id() -> str:
    """16 characters of randomness: the name of a flow, or of one state of it."""
    # Not by `secrets`: inside a flow that is recorded, and a replay would draw one number less.
    return base64.urlsafe_b64encode(os.urandom(12)).decode()
