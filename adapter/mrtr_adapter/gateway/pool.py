"""The old sessions that there are: opened on demand and ahead of it, bounded, looked after, and ended.

A request has a session for itself. The one that was used last is taken first, so that one caller after another meets
the same process, and what it remembers; more are opened only while all of a kind are busy.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
from anyio.abc import TaskGroup
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from mrtr_adapter.gateway.capset import SessionKind
from mrtr_adapter.gateway.link import OpenLink
from mrtr_adapter.gateway.session import Listener, NotStarted, Session

logger = logging.getLogger("mrtr")

_LOOK_AFTER_SECONDS = 5.0
_PING_AFTER_SECONDS = 30.0
_PING_SECONDS = 10.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
"""Seconds between two attempts to start a server that does not start."""


@dataclass(frozen=True)
class PoolLimits:
    """How many sessions there may be, and how long things may take, in seconds."""

    sessions: int = 64
    """Altogether, idle and busy and parked."""
    per_principal: int = 64
    spare: int = 1
    """Idle ones that are kept ready for each kind of client that has been here."""
    start_seconds: float = 60.0
    wait_seconds: float = 60.0
    """How long a request waits for a session while there are as many as there may be."""
    idle_seconds: float = 600.0
    """How long an unused session is kept."""


class Pool:
    """Use as a context manager; at its end all sessions have ended."""

    def __init__(
        self, open_link: OpenLink, limits: PoolLimits, events: Callable[[SessionKind], Listener]
    ) -> None:
        self.limits = limits
        self._open_link = open_link
        self._events = events
        self._idle: list[Session] = []
        self._all: set[Session] = set()
        self._opening: list[SessionKind] = []
        self._changed = anyio.Event()
        self._group: TaskGroup | None = None
        self._last_kind = SessionKind.of(None, {})
        self._failures = 0
        self._not_before = 0.0
        self.trouble = ""
        """Why the last attempt to open a session that did not work has failed."""
        self.printed = ""
        """What the old server has printed in it. Clients are not told."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Pool]:
        """Sessions are opened and looked after meanwhile."""
        async with anyio.create_task_group() as group:
            self._group = group
            group.start_soon(self._look_after)
            try:
                yield self
            finally:
                group.cancel_scope.cancel()

    @property
    def counts(self) -> dict[str, int]:
        """How many sessions there are, and how many of them wait for work."""
        return {"sessions": len(self._all), "idle": len(self._idle)}

    @property
    def healthy(self) -> bool:
        """Whether a session can be had: the last attempt to open one has worked."""
        return self._failures == 0

    async def first(self, kind: SessionKind) -> Session:
        """An idle session, opened to see what the server is.

        Raises:
            MCPError: there can't be one; `trouble` says why, and the log does not.
        """
        session = await self._open(kind, log=False)
        self._idle.append(session)
        return session

    async def acquire(self, kind: SessionKind, *, fresh: bool = False, spare: bool = True) -> Session:
        """A session that nobody else uses; `fresh` wants one that no call has run on, `spare` has more kept ready.

        Raises:
            MCPError: there can't be one now; says why.
        """
        session = self._take(kind, fresh) or await self._had(kind, fresh)
        session.used = True
        if spare:
            self._keep_spare(kind)
        return session

    async def _had(self, kind: SessionKind, fresh: bool) -> Session:
        """A session that is opened for this, or given back by somebody."""
        with anyio.move_on_after(self.limits.wait_seconds):
            while True:
                if self._may_open(kind):
                    return await self._open(kind)
                await self._changed.wait()
                session = self._take(kind, fresh)
                if session is not None:
                    return session
        raise MCPError(
            INTERNAL_ERROR,
            f"All {self.limits.sessions} sessions with the server behind this gateway are in use; call again later",
            data={"reason": "gateway_busy"},
        )

    def release(self, session: Session) -> None:
        """Give back a session on which nothing runs."""
        if session.alive and session in self._all:
            session.listener = None
            session.idle_since = time.monotonic()
            self._idle.append(session)
        self._wake()

    def discard(self, session: Session) -> None:
        """End a session on which something may still run."""
        session.close()
        self._wake()

    def _take(self, kind: SessionKind, fresh: bool) -> Session | None:
        for session in reversed(self._idle):
            if session.kind == kind and session.alive and not (fresh and session.used):
                self._idle.remove(session)
                return session
        return None

    def _may_open(self, kind: SessionKind) -> bool:
        mine = sum(session.kind.principal == kind.principal for session in self._all)
        mine += sum(opening.principal == kind.principal for opening in self._opening)
        if mine >= self.limits.per_principal:
            return self._make_room(kind.principal)
        if len(self._all) + len(self._opening) >= self.limits.sessions:
            return self._make_room(None)
        return True

    def _make_room(self, principal: str | None) -> bool:
        """End the session that has been idle longest, of this principal if one is named. Whether there was any."""
        for session in self._idle:
            if principal is None or session.kind.principal == principal:
                self._idle.remove(session)
                self._all.discard(session)
                session.close()
                return True
        return False

    async def _open(self, kind: SessionKind, *, log: bool = True) -> Session:
        assert self._group is not None
        pause = self._not_before - time.monotonic()
        if pause > 0:
            raise self._unavailable(pause)
        session = Session(kind, self._open_link, self._events(kind))
        self._opening.append(kind)
        self._last_kind = kind
        try:
            await self._group.start(self._serve, session)
        except NotStarted as failure:
            self.trouble, self.printed = str(failure), failure.printed
            pause = min(_FIRST_PAUSE * 2**self._failures, _LONGEST_PAUSE)
            self._failures += 1
            self._not_before = time.monotonic() + pause
            if log:
                logger.error("the server behind can't be used, next attempt in %.1f s: %s", pause, failure)
            raise self._unavailable(pause) from None
        finally:
            self._opening.remove(kind)
            self._wake()
        self._failures = 0
        self._all.add(session)
        return session

    def _unavailable(self, pause: float) -> MCPError:
        return MCPError(
            INTERNAL_ERROR,
            f"The server behind this gateway can't be used: {self.trouble}. It is tried again in {pause:.0f} s",
            data={"reason": "server_unavailable"},
        )

    async def _serve(self, session: Session, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        try:
            await session.run(self.limits.start_seconds, task_status=task_status)
        finally:
            self._all.discard(session)
            if session in self._idle:
                self._idle.remove(session)
            self._wake()

    def _keep_spare(self, kind: SessionKind) -> None:
        """Open one more ahead, if there are fewer than are to be kept ready."""
        assert self._group is not None
        ready = sum(session.kind == kind and not session.used for session in self._idle)
        room = len(self._all) + len(self._opening) < self.limits.sessions
        mine = sum(session.kind.principal == kind.principal for session in self._all) + len(self._opening)
        if (
            ready + self._opening.count(kind) < self.limits.spare
            and room
            and mine < self.limits.per_principal
        ):
            self._group.start_soon(self._open_spare, kind)

    async def _open_spare(self, kind: SessionKind) -> None:
        try:
            session = await self._open(kind)
        except MCPError:
            return  # logged; whoever needs one will be told
        session.idle_since = time.monotonic()
        self._idle.insert(0, session)
        self._wake()

    async def _look_after(self) -> None:
        """End what nobody needs, try again what did not start, and find out in time what does not answer any more."""
        while True:
            await anyio.sleep(_LOOK_AFTER_SECONDS)
            now = time.monotonic()
            if self._failures and now >= self._not_before and len(self._all) < self.limits.sessions:
                self._try_again()
            for session in list(self._idle):
                if session not in self._idle:
                    continue
                if session.used and now - session.idle_since > self.limits.idle_seconds:
                    self._idle.remove(session)
                    session.close()
                elif now - session.idle_since > _PING_AFTER_SECONDS:
                    await self._ping(session)

    def _try_again(self) -> None:
        """A balancer that has heard that nothing works here sends no request that would find out more."""
        assert self._group is not None
        if not self._opening:
            self._group.start_soon(self._open_spare, self._last_kind)

    async def _ping(self, session: Session) -> None:
        self._idle.remove(session)
        try:
            with anyio.fail_after(_PING_SECONDS):
                await session.request("ping")
        except TimeoutError:
            logger.warning("an idle session did not answer a ping within %.0f s and is ended", _PING_SECONDS)
            self.discard(session)
            return
        except MCPError:
            pass  # an answer as well, unless the session has ended
        session.idle_since = time.monotonic()
        if session.alive:
            self._idle.append(session)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
