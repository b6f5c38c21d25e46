"""The instruments. Without a meter provider all of them do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from opentelemetry import metrics

from mrtr_adapter.telemetry import names
from mrtr_adapter.telemetry.names import Metric

_meter = metrics.get_meter(names.SCOPE, version("mrtr"))


def _histogram(metric: Metric) -> metrics.Histogram:
    return _meter.create_histogram(
        metric.name, metric.unit, metric.description, explicit_bucket_boundaries_advisory=metric.bounds
    )


def _counter(metric: Metric) -> metrics.Counter:
    return _meter.create_counter(metric.name, metric.unit, metric.description)


_request_duration = _histogram(names.REQUEST_DURATION)
_flow_duration = _histogram(names.FLOW_DURATION)
_flow_rounds = _histogram(names.FLOW_ROUNDS)
_state_refused = _counter(names.STATE_REFUSED)
_replays = _counter(names.REPLAYS)
_effects = _counter(names.OBSERVED_EFFECTS)
_calls_held = _meter.create_up_down_counter(
    names.CALLS_HELD.name, names.CALLS_HELD.unit, names.CALLS_HELD.description
)

Attributes = Mapping[str, str]


def request_ended(seconds: float, effects: int, target: Attributes, outcome: str, *, replayed: bool) -> None:
    """One request of a flow has been served."""
    _request_duration.record(seconds, {**target, names.OUTCOME: outcome})
    if replayed:
        _replays.add(1, target)
    if effects:
        _effects.add(effects, target)


def flow_ended(seconds: float, rounds: int, target: Attributes, outcome: str) -> None:
    """A flow has come to its end."""
    attributes = {**target, names.OUTCOME: outcome}
    _flow_duration.record(seconds, attributes)
    _flow_rounds.record(rounds, attributes)


def state_refused(method: str, reason: str) -> None:
    """A state was not taken. `reason` is one of `names.REASONS`."""
    _state_refused.add(1, {names.METHOD: method, names.REASON: reason})


def calls_held(change: int) -> None:
    """A gateway holds so many calls more, or fewer, than before."""
    _calls_held.add(change)
