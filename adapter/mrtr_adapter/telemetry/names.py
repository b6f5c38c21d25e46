"""Every name that is emitted: attributes, outcomes, reasons and metrics. docs/telemetry.md lists the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SCOPE = "mrtr"
"""The instrumentation scope of tracer and meter."""
FLOW_SPAN = "mrtr.flow"
"""How the name of the span begins that lasts from a flow's first request to its last."""

FLOW_ID = "mrtr.flow.id"
ROUND = "mrtr.round"
OUTCOME = "mrtr.outcome"
ASKS = "mrtr.asks"
REPLAYED = "mrtr.replayed"
EFFECTS = "mrtr.effects"
STATE_SIZE = "mrtr.state.size"
REASON = "mrtr.reason"
METHOD = "mcp.method.name"
TOOL = "gen_ai.tool.name"
PROMPT = "gen_ai.prompt.name"

SPAN_ATTRIBUTES = (FLOW_ID, ROUND, OUTCOME, ASKS, REPLAYED, EFFECTS, STATE_SIZE, REASON)

COMPLETE = "complete"
INPUT_REQUIRED = "input_required"
REFUSED = "refused"
DIVERGED = "diverged"
FAILED = "failed"
OUTCOMES = (COMPLETE, INPUT_REQUIRED, REFUSED, DIVERGED, FAILED)

OTHER = "other"
LOST = "lost"
IN_USE = "in_use"
REASONS = (
    "audience",
    "expired",
    IN_USE,
    LOST,
    "malformed",
    OTHER,
    "principal",
    "request",
    "seal",
    "unknown_key",
    "version",
)
"""Why a state is refused."""


@dataclass(frozen=True)
class Metric:
    """One instrument. `bounds` are of a histogram's buckets, in its unit."""

    name: str
    kind: str
    unit: str
    description: str
    attributes: tuple[str, ...]
    bounds: Sequence[float] = ()


_TARGET = (METHOD, TOOL, PROMPT)

REQUEST_DURATION = Metric(
    "mrtr.request.duration",
    "histogram",
    "s",
    "How long the server worked on one request of a flow.",
    (*_TARGET, OUTCOME),
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
FLOW_DURATION = Metric(
    "mrtr.flow.duration",
    "histogram",
    "s",
    "From a flow's first request to its last reply, with the time that people took to answer.",
    (*_TARGET, OUTCOME),
    (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600),
)
FLOW_ROUNDS = Metric(
    "mrtr.flow.rounds",
    "histogram",
    "{request}",
    "Requests that a flow took, its last one included.",
    (*_TARGET, OUTCOME),
    (1, 2, 3, 4, 5, 6, 8, 10),
)
STATE_REFUSED = Metric(
    "mrtr.state.refused",
    "counter",
    "{state}",
    "States that came back and were not taken.",
    (METHOD, REASON),
)
REPLAYS = Metric("mrtr.replays", "counter", "{run}", "Handlers that were run again from the top.", _TARGET)
OBSERVED_EFFECTS = Metric(
    "mrtr.effects",
    "counter",
    "{effect}",
    "Files, processes and connections that handlers were seen to touch in rounds of flows.",
    _TARGET,
)
CALLS_HELD = Metric(
    "mrtr.calls.held",
    "updowncounter",
    "{call}",
    "Calls that a gateway keeps alive until their answers come.",
    (),
)
METRICS = (
    REQUEST_DURATION,
    FLOW_DURATION,
    FLOW_ROUNDS,
    STATE_REFUSED,
    REPLAYS,
    OBSERVED_EFFECTS,
    CALLS_HELD,
)
