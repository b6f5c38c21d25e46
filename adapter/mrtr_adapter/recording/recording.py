"""`memo` and `once` inside a flow: recorded → stored → run, whichever has it first.

A claim in the store goes before the effect and its result after it. If the process dies in between, the claim stays,
and nobody runs the effect again.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from mcp.shared.exceptions import MCPError

from mrtr_adapter.custody import claims
from mrtr_adapter.custody.vault import Vault
from mrtr_adapter.engine.enclosed import enclosed
from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.journal import Recorded
from mrtr_adapter.engine.kept import NameClash
from mrtr_adapter.engine.session import site
from mrtr_adapter.engine.suspension import diverged, interrupted, misused, store_unavailable
from mrtr_adapter.engine.unsaid import unsaid
from mrtr_adapter.recording.unbroken import unbroken
from mrtr_adapter.recording.values import Mistyped, Unrecordable, Values
from mrtr_adapter.stores import StoreError

logger = logging.getLogger("mrtr")

ErrorTypes = type[Exception] | tuple[type[Exception], ...]
MAX_NAME = 100
_MAX_TOLD = 2000


class RecordedError(Exception):
    """What `memo` and `once` raise for a recorded exception; the text names its type and what it said."""


@dataclass(frozen=True)
class Step:
    """One call of `memo` or `once`: under which name, what to call, and which of its exceptions to record."""

    name: str
    call: Callable[[], Any]
    values: Values
    errors: ErrorTypes

    @property
    def named(self) -> tuple[type[Exception], ...]:
        """The exceptions that come back as what they are."""
        types = self.errors if isinstance(self.errors, tuple) else (self.errors,)
        return tuple(each for each in types if each is not Exception)

    def told(self, error: Exception) -> str:
        """A recorded exception as text. One of a named type, or of a type derived from it, is told as of that type."""
        kind = next((each for each in self.named if isinstance(error, each)), type(error))
        return f"{kind.__qualname__}: {error}"[:_MAX_TOLD]


async def memo(flow: Flow, step: Step) -> Any:
    """The recorded value of `step`, which is computed if there is none yet."""
    return await _kept(flow, step, partial(_compute, flow, step))


async def once(flow: Flow, step: Step) -> Any:
    """The recorded outcome of `step`, which is done if it was not done yet in this flow.

    Raises:
        Suspension: it may have been done and nobody knows; the call ends with an error that says so.
    """
    return await _kept(flow, step, partial(_once, flow, step))


async def called(call: Callable[[], Any]) -> Any:
    """What a sync or async function returns."""
    result = call()
    return await result if inspect.isawaitable(result) else result


async def _kept(flow: Flow, step: Step, record: Callable[[], Any]) -> Any:
    await flow.check()
    if not 0 < len(step.name) <= MAX_NAME:
        await flow.refuse(misused(f"a recording has a name of 1 to {MAX_NAME} characters"), site())
    try:
        with flow.memory.kept.named(step.name, site()):
            if step.name not in flow.memory.kept.entries:
                flow.memory.kept.entries[step.name] = await record()
            return _given(step, flow.memory.kept.entries[step.name])
    except NameClash as clash:
        error = misused(f"{flow.name}: {clash}")
    except Mistyped as mistyped:
        error = diverged(f"{flow.name}: {mistyped}; has the handler been changed? Start the call over")
    await flow.refuse(error, site())


def _given(step: Step, recorded: Recorded) -> Any:
    if recorded.error is None:
        return step.values.decode(recorded.value)
    kind, _, said = recorded.error.partition(": ")
    named = next((each for each in step.named if each.__qualname__ == kind), None)
    try:
        error = RecordedError(recorded.error) if named is None else named(said)
    except Exception:
        error = RecordedError(recorded.error)  # that type takes more than a text
    raise error


async def _compute(flow: Flow, step: Step) -> Recorded:
    with enclosed("memo", step.name):
        try:
            return Recorded(value=step.values.encode(await called(step.call)))
        except Unrecordable:
            raise
        except step.errors as error:
            return Recorded(error=step.told(error))


async def _once(flow: Flow, step: Step) -> Recorded:
    vault = flow.vault
    if vault is None:
        return await unbroken(partial(_do, flow, step))
    key = _key(flow, step)
    try:
        found = await unbroken(partial(_claim_and_do, flow, vault, key, step))
        if isinstance(found, Recorded):
            return found
        stored = await claims.outcome(vault, key, found)
        if stored is None:
            return await _once(flow, step)  # it failed with an error that was not to be recorded
        return Recorded.model_validate(json.loads(vault.unseal(key, stored)))
    except claims.Unsettled as unsettled:
        error = interrupted(f"{flow.name}: once({step.name!r}) was {unsettled}")
        logger.error("flow %s: %s (by %s)", flow.id, error.message, unsettled.owner)
    except StoreError as failure:
        error = _unavailable(flow, step, failure)
    await flow.refuse(error, site())


async def _claim_and_do(flow: Flow, vault: Vault, key: str, step: Step) -> Recorded | bytes:
    """What was recorded now, or what somebody else has stored already."""
    claim = claims.new_claim()
    try:
        found = await vault.swap(key, None, claim, flow.memory.seconds_left)
    except StoreError:
        await _give_up(flow, vault, key, claim)  # nobody knows whether it was made
        raise
    if found is not None:
        return found
    if flow.halt.called:
        await _give_up(flow, vault, key, claim)
    try:
        recorded = await _do(flow, step)
    except Exception:
        await _give_up(flow, vault, key, claim)
        raise
    await _store(flow, vault, key, step, recorded)
    return recorded


async def _do(flow: Flow, step: Step) -> Recorded:
    await flow.check()  # the round may have ended while we waited for the store
    with flow.memory.kept.underway(), enclosed("once", step.name):
        recorded = await _effect(flow, step)
        # Here and not by the caller, who may have been cancelled meanwhile.
        flow.memory.kept.entries[step.name] = recorded
    return recorded


async def _effect(flow: Flow, step: Step) -> Recorded:
    try:
        return Recorded(value=step.values.encode(await called(step.call)), effect=True)
    except Unrecordable as lost:
        return Recorded(error=step.told(lost), effect=True)
    except step.errors as error:
        logger.warning("flow %s: once(%r) failed: %s", flow.id, step.name, unsaid(error))
        return Recorded(error=step.told(error), effect=True)


async def _store(flow: Flow, vault: Vault, key: str, step: Step, recorded: Recorded) -> None:
    """Store an outcome. If that fails the claim still stands and this flow has the outcome, so it goes on."""
    text = json.dumps(recorded.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    try:
        await vault.write(key, vault.seal(key, text), flow.memory.seconds_left)
    except StoreError as failure:
        logger.error(
            "flow %s: once(%r) was done, and its outcome could not be stored: %s", flow.id, step.name, failure
        )


async def _give_up(flow: Flow, vault: Vault, key: str, claim: bytes) -> None:
    try:
        await vault.swap(key, claim, None, flow.memory.seconds_left)
    except StoreError as failure:
        logger.error("flow %s: a claim could not be taken back: %s", flow.id, failure)


def _unavailable(flow: Flow, step: Step, failure: StoreError) -> MCPError:
    logger.error("flow %s: once(%r) was not begun: %s", flow.id, step.name, failure)
    return store_unavailable()


def _key(flow: Flow, step: Step) -> str:
    return f"once:{flow.id}:{hashlib.sha256(step.name.encode()).hexdigest()[:24]}"
