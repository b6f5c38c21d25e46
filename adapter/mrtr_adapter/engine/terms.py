"""What flows run under: the bounds and policies of one server."""

from __future__ import annotations

from dataclasses import dataclass, field

from mrtr_adapter.engine.chosen import Chosen

CLOCK_SKEW_SECONDS = 60.0
"""How far the clocks of two instances may be apart."""


@dataclass(frozen=True)
class Terms:
    """What flows run under. Times are seconds, sizes bytes of plaintext; `adapt()` describes each."""

    lifetime: float = 3600.0
    max_rounds: int = 8
    max_state_bytes: int = 64 * 1024
    max_entries: int = 256
    on_missing_capability: str = "refuse"
    record: bool = True
    on_effect: Chosen[str] = field(default_factory=lambda: Chosen("warn"))
    on_invalid_state: str = "error"
    on_changed_handler: str = "continue"
