"""All that a process emits, kept for a test: spans with their events, metrics, and the log of every logger of ours."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

_SPANS = InMemorySpanExporter()
_METRICS = InMemoryMetricReader()
_installed = False


def install() -> None:
    """Put both providers in place, once for this process: the API takes no second one."""
    global _installed
    if _installed:
        return
    _installed = True
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(_SPANS))
    trace.set_tracer_provider(tracing)
    metrics.set_meter_provider(MeterProvider([_METRICS]))


@dataclass(frozen=True)
class Point:
    """What one metric has gathered for one set of attributes. `value` is the sum of a histogram."""

    attributes: Mapping[str, Any]
    value: float
    count: int | None = None


@dataclass
class Emitted:
    lines: list[str] = field(default_factory=list)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return _SPANS.get_finished_spans()

    @property
    def told(self) -> list[dict[str, Any]]:
        """Our attributes of each span of a request that has any, in order."""
        found = []
        for span in self.spans:
            kept = {
                name.removeprefix("mrtr."): value
                for name, value in (span.attributes or {}).items()
                if name.startswith("mrtr.")
            }
            if kept and not span.name.startswith("mrtr.flow "):
                found.append(kept)
        return found

    @property
    def flows(self) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name.startswith("mrtr.flow ")]

    def points(self, name: str) -> list[Point]:
        """What a metric has gathered since the test began."""
        return _gained(_read(), self.before).get(name, [])

    before: Mapping[str, list[Point]] = field(default_factory=dict)

    @property
    def everything(self) -> str:
        """All of it as one text."""
        spans = [span.to_json() for span in self.spans]
        gathered = _METRICS.get_metrics_data()
        return "\n".join([*self.lines, *spans, gathered.to_json() if gathered else ""])


@contextmanager
def emitted() -> Iterator[Emitted]:
    """Watch what is emitted."""
    install()
    _SPANS.clear()
    found = Emitted(before=_read())
    handler = _Keeping(found.lines)
    logger = logging.getLogger("mrtr")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield found
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Keeping(logging.Handler):
    """Keeps lines as a handler would write them, tracebacks included."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))


def _read() -> dict[str, list[Point]]:
    data = _METRICS.get_metrics_data()
    found: dict[str, list[Point]] = {}
    for resource in data.resource_metrics if data else ():
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                found[metric.name] = [_point(point) for point in metric.data.data_points]
    return found


def _point(point: Any) -> Point:
    attributes = dict(point.attributes or {})
    if hasattr(point, "sum"):
        return Point(attributes, point.sum, point.count)
    return Point(attributes, point.value)


def _gained(now: Mapping[str, list[Point]], before: Mapping[str, list[Point]]) -> dict[str, list[Point]]:
    gained: dict[str, list[Point]] = {}
    for name, points in now.items():
        old = {tuple(sorted(point.attributes.items())): point for point in before.get(name, [])}
        for point in points:
            was = old.get(tuple(sorted(point.attributes.items())))
            count = None if point.count is None else point.count - (was.count or 0 if was else 0)
            new = Point(point.attributes, point.value - (was.value if was else 0), count)
            if new.count or new.value:
                gained.setdefault(name, []).append(new)
    return gained
