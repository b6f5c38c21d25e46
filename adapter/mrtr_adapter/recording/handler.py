"""What a handler may say to its flow, if it cares to. Everything here also runs outside a flow, as a plain call."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, TypeVar, overload

from mrtr_adapter.engine.commits import Commits, pending, run_now
from mrtr_adapter.engine.enclosed import enclosing
from mrtr_adapter.engine.flows import Flow, current
from mrtr_adapter.engine.journal import new_id
from mrtr_adapter.engine.session import site
from mrtr_adapter.recording import recording
from mrtr_adapter.recording.recording import ErrorTypes, Step, called
from mrtr_adapter.recording.values import Values

ValueT = TypeVar("ValueT")
StateT = TypeVar("StateT")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@overload
async def memo(
    name: str,
    call: Callable[..., Awaitable[ValueT]],
    /,
    *args: Any,
    returns: Any = ...,
    errors: ErrorTypes = ...,
) -> ValueT: ...
@overload
async def memo(
    name: str, call: Callable[..., ValueT], /, *args: Any, returns: Any = ..., errors: ErrorTypes = ...
) -> ValueT: ...
async def memo(
    name: str, call: Callable[..., Any], /, *args: Any, returns: Any = None, errors: ErrorTypes = ()
) -> Any:
    """`call(*args)`, computed in one round of the flow and the same in all later ones.

        rate = await memo("rate", fetch_rate, currency)

    The value rides in the state, so it counts towards `max_state_bytes`. If the round that computed it breaks off, it
    is computed again: for what must not happen twice there is `once`.

    Args:
        name: of this recording, once in a run of the handler; at most 100 characters.
        call: sync or async. It may not ask the client.
        returns: the type of the value, if `call` does not declare it: JSON, a pydantic model, a dataclass, or what
            pydantic can turn into JSON and back.
        errors: exceptions to record as well. One comes back with its text as the type that is named here; as
            `RecordedError` if that is `Exception`. Others are raised, and the value is computed anew.

    Raises:
        Unrecordable: the value would not come back as it was.
        RecordedError: see `errors`.
    """
    flow = current.get()
    if flow is None:
        return await called(partial(call, *args))
    return await recording.memo(flow, Step(name, partial(call, *args), Values(call, returns), errors))


@overload
async def once(
    name: str,
    call: Callable[..., Awaitable[ValueT]],
    /,
    *args: Any,
    returns: Any = ...,
    errors: ErrorTypes = ...,
) -> ValueT: ...
@overload
async def once(
    name: str, call: Callable[..., ValueT], /, *args: Any, returns: Any = ..., errors: ErrorTypes = ...
) -> ValueT: ...
async def once(
    name: str, call: Callable[..., Any], /, *args: Any, returns: Any = None, errors: ErrorTypes = Exception
) -> Any:
    """`call(*args)`, done at most once in the flow; what it returned is given again in each replay.

        receipt = await once("charge", charge, card, amount)

    With a store (`adapt(store=…)`): it is claimed there before it is done, and its outcome is stored before anything
    goes on. If the process dies in between, the call ends with an error that says so, and it is never done again.
    Without a store the outcome rides in the state: at most once as long as the reply of the round that did it reaches
    the client. Once begun it is done to its end, even if the round ends or the client goes away.

    Args:
        name: of this recording, once in a run of the handler; at most 100 characters.
        call: sync or async. It may not ask the client.
        returns: as for `memo`.
        errors: the exceptions after which it counts as done (all): an error does not say that nothing happened. They
            come back as for `memo`. After any other it may be called again: give `errors=()` for an effect that
            certainly did not happen when it fails.

    Raises:
        Unrecordable: there is no JSON for the declared type; nothing was done.
        RecordedError: it failed, in this round or an earlier one, or its value could not be recorded.
    """
    flow = current.get()
    if flow is None:
        return await called(partial(call, *args))
    return await recording.once(flow, Step(name, partial(call, *args), Values(call, returns), errors))


def on_commit(call: Callable[..., Any], /, *args: Any) -> None:
    """Have `call(*args)` done when this call completes: once, after the last round, and only if it did not fail.

        on_commit(notify, ticket)

    Calls are made in the order in which they were registered, sync or async. One that raises is logged and changes
    nothing. They come before the client gets the result, and are lost if the process dies before them. Outside the
    call of an adapted server, and in a task that outlives it, it is done at once.

    Raises:
        RuntimeError: it was called inside `memo` or `once`, which later rounds do not enter.
    """
    enclosure = enclosing.get()
    if enclosure is not None:
        raise RuntimeError(
            f"on_commit inside {enclosure} would be forgotten in the next round: call it outside"
        )
    work = partial(call, *args)
    running = current.get()
    commits = pending.get()
    if running is not None:
        commits = running.commits = running.commits or Commits()
    if commits is None or commits.completed:
        run_now(work)
    else:
        commits.add(work)


def now() -> datetime:
    """The time, in UTC: what it was when the handler first came here, in all rounds of a flow.

    Readings are told apart by their order. Inside `memo` and `once`, outside a flow and with `adapt(record=False)` it
    is the time that it is.
    """
    flow = current.get()
    if flow is None or not flow.terms.record or enclosing.get() is not None:
        return datetime.now(timezone.utc)
    return _EPOCH + timedelta(microseconds=flow.memory.clock.read())


@dataclass(frozen=True)
class ThisFlow:
    """The flow that a handler runs in. Outside one: a flow of a single round."""

    id: str
    """The same in all rounds of the flow, and in no other."""
    round: int
    """From 1."""
    _flow: Flow | None = None

    @property
    def replaying(self) -> bool:
        """Whether an earlier round has been at this place already: True until an answer is delivered that is new."""
        return self._flow is not None and self._flow.memory.replaying

    def idempotency_key(self, name: str) -> str:
        """A key for an API that does a request once for each key: 32 characters, the same in all rounds."""
        return hashlib.sha256(f"mrtr idempotency\0{self.id}\0{name}".encode()).hexdigest()[:32]


def flow() -> ThisFlow:
    """The flow of the handler that calls this."""
    running = current.get()
    if running is not None:
        return ThisFlow(running.id, running.memory.round, running)
    commits_of_call = pending.get()
    return ThisFlow(commits_of_call.call_id if commits_of_call else new_id(), 1)


async def shed(state: StateT | None = None) -> StateT | None:
    """Shed load: end the round with no question, and go on from here when the client calls again.

    Args:
        state: JSON to find again then. Work that was done to make it is not done again if it stands behind
            `if` … on what `shed` gave back.

    Returns:
        `state` as it was when the round ended. On an older connection and outside a flow, at once.
    """
    running = current.get()
    if running is None:
        return state
    shed_state: StateT | None = await running.shed(state, site)
    return shed_state
