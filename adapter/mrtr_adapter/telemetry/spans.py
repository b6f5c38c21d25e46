"""Spans: of a request, linked to the first one of its flow, and of the flow as a whole.

The SDK opens a span for each request. Its context in a flow's first round travels under the seal of the state as a W3C
`traceparent`, so that later rounds find it, whatever instance they reach and whatever trace their client has begun.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags

from mrtr_adapter.telemetry import names

_tracer = trace.get_tracer(names.SCOPE, version("mrtr"))

Value = str | int


def here() -> str | None:
    """The current span as a `traceparent`; None if nobody records it."""
    span = trace.get_current_span()
    if not span.is_recording():
        return None
    context = span.get_span_context()
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def describe(attributes: Mapping[str, Value]) -> None:
    """Put these on the current span."""
    span = trace.get_current_span()
    if span.is_recording():
        span.set_attributes(attributes)


def link_to(traceparent: str | None) -> None:
    """Link the current span to this one."""
    span = trace.get_current_span()
    if traceparent is not None and span.is_recording():
        span.add_link(_context(traceparent))


def flow(name: str, first: str | None, began: int, attributes: Mapping[str, Value], *, failed: bool) -> None:
    """The span of a flow that ends now, beside the request that ends it and in the trace of the one that began it.

    Args:
        name: what was called.
        first: the `traceparent` of its first request, if that was recorded.
        began: when that was, in nanoseconds since the epoch.
    """
    last = trace.get_current_span()
    if not last.is_recording():
        return
    parent = trace.set_span_in_context(NonRecordingSpan(_context(first))) if first is not None else None
    span = _tracer.start_span(
        f"{names.FLOW_SPAN} {name}",
        context=parent,
        attributes=attributes,
        links=[Link(last.get_span_context())],
        start_time=began,
    )
    if failed:
        span.set_status(Status(StatusCode.ERROR))
    span.end()


def _context(traceparent: str) -> SpanContext:
    _, trace_id, span_id, flags = traceparent.split("-")
    return SpanContext(
        int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=TraceFlags(int(flags, 16))
    )
