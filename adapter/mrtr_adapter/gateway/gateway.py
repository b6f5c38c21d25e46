"""Puts a gateway together, and runs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import anyio
from mcp.shared.exceptions import MCPError

from mrtr_adapter.binding.adapt import adapt
from mrtr_adapter.gateway.bridge import Bridge
from mrtr_adapter.gateway.capset import SessionKind
from mrtr_adapter.gateway.child import Command
from mrtr_adapter.gateway.front import Front, build_front
from mrtr_adapter.gateway.groups import one_error
from mrtr_adapter.gateway.health import DEGRADED, DOWN, OK, Health
from mrtr_adapter.gateway.holds import Holds
from mrtr_adapter.gateway.link import OpenLink
from mrtr_adapter.gateway.listening import Listening
from mrtr_adapter.gateway.named import check_named
from mrtr_adapter.gateway.pool import Pool
from mrtr_adapter.gateway.principal import principal_by
from mrtr_adapter.gateway.remote import Endpoint
from mrtr_adapter.gateway.serving import Serving, dropping
from mrtr_adapter.gateway.settings import Settings
from mrtr_adapter.gateway.warden import Warden, warden
from mrtr_adapter.serving.refusal import CannotServe, shortened
from mrtr_adapter.stores import Store, open_store

_TTL_SECONDS = 600.0
_LONGEST_NAME, _LONGEST_PRINTED = 80, 160
"""Characters of a message at the start, which are to leave room for what to do."""
_PROBE = SessionKind.of(None, {})


@dataclass(frozen=True)
class Gateway:
    """A gateway that runs. `front` is to be served."""

    front: Front
    pool: Pool
    holds: Holds
    _listening: Listening

    def leave(self) -> None:
        """The end is near: streams end, and no more calls are held."""
        self._listening.close()
        self.holds.close()

    @property
    def health(self) -> Health:
        """`down` while no session can be had, `degraded` while those that there are have to do."""
        status = OK if self.pool.healthy else DEGRADED if self.pool.counts["sessions"] else DOWN
        return {"status": status, **self.counts}

    @property
    def counts(self) -> dict[str, int]:
        """What there is of sessions, and of calls that wait for an answer."""
        return {**self.pool.counts, "held": len(self.holds)}


@asynccontextmanager
async def running(settings: Settings, *, strict: bool = True) -> AsyncIterator[Gateway]:
    """A gateway to the server of these settings. At the end nothing of that is left.

    Args:
        strict: whether a name that nothing has keeps it from being served; else it is only logged.

    Raises:
        Misnamed: a tool that is named does not exist.
        CannotServe: the old server can't be started or does not speak MCP, or a setting makes no sense.
    """
    listening = Listening()
    principal = principal_by(settings.trust_header)
    store = _store(settings.store)
    async with one_error(), warden() as guard:
        pool = Pool(_opener(settings.behind, guard), settings.pool, listening.bus)
        async with pool.running(), anyio.create_task_group() as group:
            holds = Holds(settings.hold, dropping(pool))
            serving = Serving(pool, holds, settings.replay, principal, settings.call_seconds)
            bridge = Bridge(pool, group, settings.call_seconds)
            hello = await _hello(pool, settings.behind)
            await check_named(settings.replay, pool, hello, strict=strict)
            front = build_front(hello, serving, bridge, listening)
            _adapt(front, settings, store)
            group.start_soon(holds.sweep)
            try:
                yield Gateway(front, pool, holds, listening)
            finally:
                holds.give_up()
                listening.close()
                group.cancel_scope.cancel()


def _adapt(front: Front, settings: Settings, store: Store) -> None:
    try:
        adapt(
            front,
            keys=settings.keys,
            ttl=max(_TTL_SECONDS, settings.hold.seconds),
            audience=settings.audience,
            bind_principal=principal_by(settings.trust_header),
            record=False,
            on_effect="ignore",
            store=store,
            single_use=True,
        )
    except (TypeError, ValueError) as error:
        raise CannotServe(str(error)) from None


def _store(url: str | None) -> Store:
    try:
        return open_store(url or "memory:")
    except ValueError as error:
        raise CannotServe(f"--store: {error}") from None


async def _hello(pool: Pool, behind: Command | Endpoint) -> dict[str, object]:
    """What the old server says of itself."""
    try:
        return (await pool.first(_PROBE)).hello
    except MCPError:
        printed = f" ({shortened(pool.printed, _LONGEST_PRINTED)})" if pool.printed else ""
        name = shortened(behind.name, _LONGEST_NAME)
        raise CannotServe(
            f"can't use the old server {name}: {pool.trouble}{printed}: {behind.advice}"
        ) from None


def _opener(behind: Command | Endpoint, guard: Warden) -> OpenLink:
    return partial(behind.opened, guard) if isinstance(behind, Command) else behind.opened
