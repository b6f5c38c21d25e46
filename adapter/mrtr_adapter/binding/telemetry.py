"""What a round leaves on the request's span, so that a flow can be followed over its requests.

Numbers and names only: never a question, an answer or a state. The span is the one that the SDK opens for every
request; without an exporter all of this does nothing.
"""

from __future__ import annotations

from opentelemetry import trace

from mrtr_adapter.engine.flows import Flow

COMPLETE = "complete"
INPUT_REQUIRED = "input_required"
REFUSED = "refused"


def describe(flow: Flow, outcome: str, *, asks: int = 0, state_bytes: int = 0) -> None:
    """Put a round on the current span. A suspension is no error."""
    span = trace.get_current_span()
    if not span.is_recording():
        return
    span.set_attributes(
        {
            "mrtr.flow": flow.id,
            "mrtr.round": flow.memory.round,
            "mrtr.outcome": outcome,
            "mrtr.asks": asks,
            "mrtr.replayed": flow.memory.ledger.deliveries,
            "mrtr.effects": flow.effect_count,
            "mrtr.state_bytes": state_bytes,
        }
    )


def describe_refusal(flow: Flow) -> None:
    """As `describe`, if it is the adapter that has ended the call with an error."""
    if flow.halt.called:
        describe(flow, REFUSED)
