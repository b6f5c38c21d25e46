"""How a gateway is, in one word: `ok`, `degraded` (something does not start, the rest is served) or `down`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

OK, DEGRADED, DOWN = "ok", "degraded", "down"

Health = Mapping[str, "str | int"]
"""The `status` of a server, and counts."""


def overall(statuses: Collection[str]) -> str:
    """The word for several of them: what all have in common, or else `degraded`."""
    (word, *others) = set(statuses)
    return DEGRADED if others else word
