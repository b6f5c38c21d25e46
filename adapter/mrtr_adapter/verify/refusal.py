"""Why something can't be verified."""

from __future__ import annotations

from mrtr_adapter.serving.refusal import CannotServe


class CannotVerify(CannotServe):
    """What is in the way and what to do about it, in one line for the person at the terminal."""
