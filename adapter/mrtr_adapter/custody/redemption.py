"""Single use: each state of a flow is redeemed once, by whoever comes first with it.

    absent or "open"  → claim → reply        a claim is never taken over, a reply is given to all who come later

The state is used up once its round got further than the round before, so that an answer which came with it has been
delivered. A request that was refused or broken off before that gives it back.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable

import anyio
import anyio.lowlevel
from mcp.server.context import HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import BaseModel

from mrtr_adapter.custody import claims
from mrtr_adapter.custody.vault import Vault
from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.journal import Journal
from mrtr_adapter.engine.suspension import (
    StateLost,
    being_processed,
    interrupted,
    is_store_unavailable,
    store_unavailable,
)
from mrtr_adapter.stores import StoreError
from mrtr_adapter.telemetry import refusals

logger = logging.getLogger("mrtr")

_OPEN = b"open"
_BROKEN = b"broken"
_STORE_SECONDS = 15.0
"""How long a reply may take to be stored once the client has gone."""


async def register(vault: Vault, flow: Flow) -> str:
    """The state of a round that has ended, as one that may be redeemed once.

    Raises:
        MCPError: the store can't be used, or the flow is past a bound.
    """
    if vault.shared:
        # Known to the store from the start, a state is not good for a second time when the store was emptied.
        try:
            await vault.write(_key(flow.memory.nonce), _OPEN, flow.memory.seconds_left)
        except StoreError as failure:
            raise _unavailable(flow, failure) from None
    return flow.single_use(registered=vault.shared)


async def redeem(
    vault: Vault, journal: Journal, flow: Flow, serve: Callable[[], Awaitable[HandlerResult]]
) -> HandlerResult:
    """Serve a round if its state was not redeemed yet; else give what it led to.

    Raises:
        StateLost: a store was to know this state and does not.
        MCPError: what the round led to; or it is at work or was broken off; or the store can't be used.
    """
    redemption = _Redemption(vault, journal, flow)
    try:
        while not redemption.won(found := await redemption.claim()):
            if not redemption.won(found := await redemption.settled(found)):
                return redemption.told_again(found)
            # Somebody had claimed the state, and has given it back.
    except StoreError as failure:
        raise _unavailable(flow, failure) from None
    return await redemption.serve(serve)


class _Redemption:
    """One attempt to redeem a state."""

    def __init__(self, vault: Vault, journal: Journal, flow: Flow) -> None:
        self._vault = vault
        self._flow = flow
        self._key = _key(journal.nonce)
        self._before = _OPEN if journal.registered else None
        self._claim = claims.new_claim()

    async def claim(self) -> bytes | None:
        """Claim the state. What was there before tells whether that worked."""
        if self._before is not None and not self._vault.shared:
            raise StoreError("this state is known to a shared store, and this instance has none (store=)")
        try:
            return await self._vault.swap(
                self._key, self._before, self._claim, self._flow.memory.seconds_left
            )
        except BaseException:
            # Cancelled, or nobody knows: a claim that was made all the same must not stay.
            await self._settle(self._before)
            raise

    def won(self, found: bytes | None) -> bool:
        return found == self._before

    async def serve(self, serve: Callable[[], Awaitable[HandlerResult]]) -> HandlerResult:
        """Serve the round and store what it leads to, before the client gets it."""
        try:
            await anyio.lowlevel.checkpoint_if_cancelled()  # the client may have gone while we claimed
            result = await serve()
        except MCPError as error:
            if self._flow.refused and self._flow.memory.replaying:
                await self._settle(self._before)
                raise
            if is_store_unavailable(error):
                # Too late to send the same request again: this one has come further than the round before.
                error = interrupted(f"{self._flow.name} lost its store")
            await self._settle(self._sealed(error=error))
            raise error from None
        except Exception:
            failed = MCPError(INTERNAL_ERROR, "This call has failed; start it over if it is safe to repeat")
            await self._settle(self._sealed(error=failed))
            raise
        except BaseException:
            # Cancelled: the client has gone, or this process ends.
            await self._settle(self._before if self._flow.memory.replaying else _BROKEN)
            raise
        await self._settle(self._sealed(result=result))
        return result

    def _sealed(self, *, result: HandlerResult = None, error: MCPError | None = None) -> bytes:
        try:
            return self._vault.seal(self._key, _reply(result, error))
        except StoreError as failure:
            logger.error("flow %s: the reply of %s is not kept: %s", self._flow.id, self._flow.name, failure)
            return _BROKEN

    async def _settle(self, value: bytes | None) -> None:
        """Put an outcome in place of the claim. If that fails the claim stands, so nobody repeats the round."""
        seconds = self._flow.memory.seconds_left
        try:
            with anyio.move_on_after(_STORE_SECONDS, shield=True):
                await self._vault.swap(self._key, self._claim, value, seconds)
        except StoreError as failure:
            logger.error("flow %s: an outcome could not be stored: %s", self._flow.id, failure)

    async def settled(self, found: bytes | None) -> bytes | None:
        """What stands in place of `found`, if that is somebody's claim, once they are done."""
        if found is None or not claims.is_claim(found):
            return found
        try:
            return await claims.outcome(self._vault, self._key, found)
        except claims.Unsettled as unsettled:
            flow = self._flow
            refusals.in_use(flow.method)
            logger.error(
                "flow %s: the state of %s was redeemed, %s (by %s)",
                flow.id,
                flow.name,
                unsettled,
                unsettled.owner,
            )
            raise being_processed(str(unsettled)) from None

    def told_again(self, found: bytes | None) -> HandlerResult:
        """What the state has led to when it was redeemed before."""
        flow = self._flow
        if found == _BROKEN:
            raise interrupted(f"{flow.name} was broken off, or its result could not be kept")
        if found is None or found == _OPEN:
            raise StateLost(f"flow {flow.id}: the store does not know this state")
        try:
            reply = json.loads(self._vault.unseal(self._key, found))
        except StoreError as failure:
            raise StateLost(f"flow {flow.id}: {failure}") from None
        logger.info("flow %s: %s is told again what this state has led to", flow.id, flow.name)
        if "error" in reply:
            raise MCPError(**reply["error"])
        result: HandlerResult = reply["result"]
        return result


def _reply(result: HandlerResult, error: MCPError | None) -> str:
    if error is not None:
        return json.dumps({"error": error.error.model_dump(mode="json", exclude_none=True)})
    wire = (
        result.model_dump(by_alias=True, mode="json", exclude_none=True)
        if isinstance(result, BaseModel)
        else result
    )
    return json.dumps({"result": wire})


def _unavailable(flow: Flow, failure: StoreError) -> MCPError:
    logger.error("flow %s: %s was stopped: %s", flow.id, flow.name, failure)
    return store_unavailable()


def _key(nonce: str) -> str:
    return f"state:{nonce}"
