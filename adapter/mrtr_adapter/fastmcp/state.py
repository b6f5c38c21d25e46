"""What FastMCP keeps per session (`ctx.session_id`, `ctx.set_state`), over the rounds of a flow.

On 2026-07-28 every request is a session of its own. In one old call the id was one and the state began as it was, so:
the id belongs to the flow, and the state begins empty in each round, where the replay sets it again. State that lasted
from round to round would show a handler its own traces, and it would take another way than before.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from weakref import WeakKeyDictionary

from fastmcp import Context

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.fastmcp.asking import flow_of

_NAMESPACE = uuid.UUID("5f6c1f1e-6a0b-5c86-9a34-0b8b8f0f6d52")
_prefixes: WeakKeyDictionary[Flow, str] = WeakKeyDictionary()
"""Of the keys of state, for each run of a handler."""


def session_id_of_flow(original: Callable[[Context], str]) -> property:
    """`Context.session_id`: the same in all rounds of a flow."""

    def session_id(self: Context) -> str:
        flow = flow_of(self)
        return original(self) if flow is None else str(uuid.uuid5(_NAMESPACE, flow.id))

    return property(session_id, doc=original.__doc__)


def state_key_of_round(original: Callable[[Context, str], str]) -> Callable[[Context, str], str]:
    """`Context._make_state_key`: no two runs share a key, not even when a client sends the same state twice."""

    def _make_state_key(self: Context, key: str) -> str:
        flow = flow_of(self)
        return original(self, key) if flow is None else f"{_prefix(flow)}:{key}"

    return _make_state_key


def _prefix(flow: Flow) -> str:
    prefix = _prefixes.get(flow)
    if prefix is None:
        prefix = _prefixes[flow] = os.urandom(16).hex()
    return prefix
