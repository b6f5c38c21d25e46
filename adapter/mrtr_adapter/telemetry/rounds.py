"""What is told of one round of a flow, on its span and in the metrics. A suspension is no error.

Numbers and names only: never a question, an answer or a state. A call that never asks is not told of.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from mcp.shared.exceptions import MCPError
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.journal import is_ours
from mrtr_adapter.telemetry import metrics, names, spans

_TARGETS = {"tools/call": names.TOOL, "prompts/get": names.PROMPT}
"""The URIs of resources are without number, so they are no attribute."""


def resumed(flow: Flow) -> None:
    """A round after the first begins."""
    spans.link_to(flow.memory.trace)


def ended(flow: Flow, result: object) -> None:
    """The round has ended with a result, or with questions."""
    asks = isinstance(result, Mapping) and result.get("resultType") == names.INPUT_REQUIRED
    if not asks:
        if flow.memory.before is not None:
            _tell(flow, names.COMPLETE)
        return
    state = result.get("requestState")  # type: ignore[attr-defined]
    if is_ours(state):
        requests = result.get("inputRequests") or ()  # type: ignore[attr-defined]
        _tell(flow, names.INPUT_REQUIRED, asks=len(requests), state_size=len(state))


def failed(flow: Flow, error: Exception) -> None:
    """The round has ended with an error. A plain call's own error is not told of."""
    reason = _reason(error)
    if reason == "replay_diverged":
        _tell(flow, names.DIVERGED, reason=reason)
    elif flow.halt.called:
        _tell(flow, names.REFUSED, reason=reason)
    elif flow.memory.before is not None:
        _tell(flow, names.FAILED)


def _tell(flow: Flow, outcome: str, *, asks: int = 0, state_size: int = 0, reason: str | None = None) -> None:
    memory = flow.memory
    target = _target(flow)
    attributes: dict[str, spans.Value] = {
        names.FLOW_ID: flow.id,
        names.ROUND: memory.round,
        names.OUTCOME: outcome,
        names.ASKS: asks,
        names.REPLAYED: memory.ledger.deliveries,
        names.EFFECTS: flow.effect_count,
        names.STATE_SIZE: state_size,
    }
    if reason is not None:
        attributes[names.REASON] = reason
    spans.describe(attributes)
    replayed = memory.before is not None and not flow.continued
    metrics.request_ended(
        time.monotonic() - memory.made, flow.effect_count, target, outcome, replayed=replayed
    )
    if outcome != names.INPUT_REQUIRED:
        _tell_flow(flow, outcome, target)


def _tell_flow(flow: Flow, outcome: str, target: Mapping[str, str]) -> None:
    memory = flow.memory
    seconds = max(time.time() - memory.began / 1000, 0.0)  # the clocks of two instances may differ
    metrics.flow_ended(seconds, memory.round, target, outcome)
    if memory.before is not None:
        attributes: dict[str, spans.Value] = {
            **target,
            names.FLOW_ID: flow.id,
            names.ROUND: memory.round,
            names.OUTCOME: outcome,
        }
        spans.flow(
            flow.name,
            memory.trace,
            memory.began * 1_000_000,
            attributes,
            failed=outcome != names.COMPLETE,
        )


def _target(flow: Flow) -> dict[str, str]:
    target = {names.METHOD: flow.method}
    name = _TARGETS.get(flow.method)
    return target if name is None else {**target, name: flow.target}


def _reason(error: Exception) -> str | None:
    if isinstance(error, MCPError) and error.code == MISSING_REQUIRED_CLIENT_CAPABILITY:
        return "missing_capability"
    data = error.data if isinstance(error, MCPError) else None
    reason = data.get("reason") if isinstance(data, Mapping) else None
    return reason if isinstance(reason, str) else None
