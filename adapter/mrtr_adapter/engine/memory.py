"""What a flow remembers in one of its rounds: journal of the round before → **here** → journal of the next."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from mrtr_adapter.engine.clock import Clock
from mrtr_adapter.engine.journal import Asked, Inner, Journal, new_id
from mrtr_adapter.engine.kept import Kept
from mrtr_adapter.engine.ledger import Ledger
from mrtr_adapter.engine.notifications import Notifications
from mrtr_adapter.engine.shed import Shed
from mrtr_adapter.engine.terms import CLOCK_SKEW_SECONDS


class Memory:
    """What the journal of the round before says, and what this round adds to it.

    Most calls never ask, so its parts are made when they are first looked at.

    Args:
        before: the journal of the round before; None in the first round.
        responses: what came back for its questions.
        lifetime: of a flow, in seconds.
    """

    inner: Inner | None = None
    seed: str | None = None
    trace: str | None = None
    """The span of the flow's first round, as a W3C `traceparent`."""
    single = False
    registered = False
    _id: str | None = None
    _nonce: str | None = None
    _deadline = 0
    _began = 0
    _ledger: Ledger | None = None
    _notifications: Notifications | None = None
    _kept: Kept | None = None
    _clock: Clock | None = None
    _shed: Shed | None = None

    def __init__(
        self, before: Journal | None, responses: Mapping[str, dict[str, Any]], lifetime: float
    ) -> None:
        self.before = before
        self.made = time.monotonic()
        """When this round began, by the clock of this process."""
        self._responses = responses
        self._lifetime = lifetime
        if before is not None:
            self.inner = before.inner
            self.seed = before.seed
            self._deadline = before.deadline
            self._began = before.began
            self.trace = before.trace

    @property
    def id(self) -> str:
        """The name of the flow, the same in all its rounds."""
        if self._id is None:
            self._id = self.before.flow if self.before else new_id()
        return self._id

    @property
    def round(self) -> int:
        """Which round this is, from 1."""
        return self.before.round + 1 if self.before else 1

    @property
    def nonce(self) -> str:
        """Names the state that this round ends with."""
        if self._nonce is None:
            self._nonce = new_id()
        return self._nonce

    @property
    def deadline(self) -> int:
        """When the flow expires, in seconds since the epoch."""
        if not self._deadline:
            self._deadline = int(time.time() + self._lifetime)
        return self._deadline

    @property
    def began(self) -> int:
        """When the flow began, in milliseconds since the epoch."""
        if not self._began:
            self._began = int((time.time() - (time.monotonic() - self.made)) * 1000)
        return self._began

    @property
    def seconds_left(self) -> float:
        """How long what is stored for this flow has to last: a little longer than any state of it is good for."""
        return max(self.deadline - time.time(), 0.0) + CLOCK_SKEW_SECONDS

    @property
    def ledger(self) -> Ledger:
        if self._ledger is None:
            self._ledger = Ledger(self.before, self._responses)
        return self._ledger

    @property
    def notifications(self) -> Notifications:
        if self._notifications is None:
            self._notifications = Notifications(self.before.sent if self.before else "")
        return self._notifications

    @property
    def kept(self) -> Kept:
        if self._kept is None:
            self._kept = Kept(self.before.kept if self.before else {})
        return self._kept

    @property
    def clock(self) -> Clock:
        if self._clock is None:
            self._clock = Clock(self.before.times if self.before else ())
        return self._clock

    @property
    def shed(self) -> Shed:
        if self._shed is None:
            self._shed = Shed(self.before.shed if self.before else ())
        return self._shed

    @property
    def replaying(self) -> bool:
        """Whether an earlier round has been here already: no answer that came with this round has been delivered."""
        before = self.before
        if before is None or before.raised or self.ledger.taken:
            return False
        if before.inner is not None and before.inner.open:
            return False  # in step form: the answers go to the handler itself
        return self.shed.is_behind

    @property
    def urls_refused(self) -> bool:
        """Whether the client has just refused a URL that the handler had raised."""
        return self.before is not None and self.before.raised and self.ledger.refusals()

    async def settled(self) -> None:
        """Wait for effects that were begun and must be recorded."""
        if self._kept is not None:
            await self._kept.settled()

    def next_journal(self, asked: dict[str, Asked], *, changes: int, raised: bool, handler: str) -> Journal:
        """The journal of this round, which ends with these questions."""
        before = self.before
        return Journal(
            flow=self.id,
            round=self.round,
            deadline=self.deadline,
            nonce=self.nonce,
            handler=handler,
            began=self.began,
            trace=self.trace,
            answers=self.ledger.entries(keep_unreached=not (before and before.raised)),
            asked=asked,
            changes=changes,
            raised=raised,
            sent=self._notifications.marks if self._notifications else before.sent if before else "",
            shed=self._shed.values if self._shed else before.shed if before else [],
            seed=self.seed,
            inner=self.inner,
            kept=self._kept.entries if self._kept else before.kept if before else {},
            times=self._clock.readings if self._clock else before.times if before else [],
            single=self.single,
            registered=self.registered,
        )
