"""Sees what a handler does, from right around it, in the same way natively and adapted."""

from __future__ import annotations

import os
import sys
from contextvars import ContextVar
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types.methods import INPUT_REQUIRED_METHODS

from mrtr_adapter.engine import flows
from mrtr_adapter.engine.watch import TO_FILES, effect_of
from mrtr_adapter.verify.wire import Effect, Seen

_observing: ContextVar[Observer | None] = ContextVar("mrtr_verify_observing", default=None)


class Observer:
    """The innermost middleware of a server, which notes the effects below it, in tasks and threads as well."""

    def __init__(self) -> None:
        self.seen = Seen()
        self._closed = False

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method not in INPUT_REQUIRED_METHODS:
            return await call_next(ctx)
        token = _observing.set(self)
        flow = flows.current.get()
        try:
            return await _unless_swallowed(self.seen, flow, call_next, ctx)
        finally:
            _observing.reset(token)
            if flow is not None:
                self.seen.awaited = flow.halt.called
                self.seen.unreached = _unreached(flow)

    def note(self, effect: Effect) -> None:
        if not self._closed:
            self.seen.effects.append(effect)

    def close(self) -> Seen:
        """What has been seen. What comes after this is the doing of whoever ends the call."""
        self._closed = True
        return self.seen


async def _unless_swallowed(
    seen: Seen, flow: flows.Flow | None, call_next: CallNext, ctx: ServerRequestContext[Any, Any]
) -> HandlerResult:
    """Call on. A handler that comes to an end of its own after it was suspended has swallowed that."""
    try:
        result = await call_next(ctx)
    except Exception:
        seen.swallowed = _suspended(flow)
        raise
    seen.swallowed = _suspended(flow)
    return result


def _unreached(flow: flows.Flow) -> list[str]:
    """Keys whose question was not asked again. Pages that an error has named are looked up elsewhere."""
    before = flow.memory.before
    if before is not None and before.raised:
        return []
    return [key for key, _ in flow.memory.ledger.unreached().values()]


def _suspended(flow: flows.Flow | None) -> bool:
    return flow is not None and flow.halt.called


def install() -> None:
    """Watch from now on, behind the adapter's own hook, which stops what must not happen."""
    sys.addaudithook(_hook)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    observer = _observing.get()
    if observer is None:
        return
    effect = effect_of(event, args)
    if effect is not None:
        what = os.path.abspath(effect.what) if event in TO_FILES and effect.what[:1] != ":" else effect.what
        observer.note(Effect(event=event, what=what, file=effect.file, line=effect.line))
