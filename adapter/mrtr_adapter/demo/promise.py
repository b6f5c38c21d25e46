"""What the demo promises, and what it says when that did not hold."""

from __future__ import annotations


class NotHeld(Exception):
    """A promise that was not kept; the message says which and what happened instead."""


def hold(kept: bool, promise: str) -> None:
    """Go on only if `promise` was kept.

    Raises:
        NotHeld: it was not.
    """
    if not kept:
        raise NotHeld(promise)
