"""For a gateway: how many calls it holds."""

from __future__ import annotations

from mrtr_adapter.telemetry.metrics import calls_held


def held() -> None:
    """One more call is kept alive until its answer comes."""
    calls_held(1)


def released() -> None:
    """A call that was held goes on, or is dropped."""
    calls_held(-1)
