"""What an owner has named and nobody has: a slip of the pen would leave unprotected what they believe protected."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_SHOWN = 20
"""Of the names that there are."""


def misnamed(option: str, names: Collection[str], there_are: Collection[str]) -> str | None:
    """Which of the `names` given to an option are of no tool or prompt that `there_are`, and what may be meant.

    None if all are. The URI of a resource is not looked up: it may come out of a template.
    """
    unknown = sorted(name for name in set(names) - set(there_are) if not _may_be_uri(name, there_are))
    if not unknown:
        return None
    return f"{option} names {', '.join(unknown)}, but there is no such tool or prompt: {_meant(unknown[0], there_are)}"


def _may_be_uri(name: str, there_are: Collection[str]) -> bool:
    """Not where tools have names such as `shop:sell`."""
    scheme, colon, _ = name.partition(":")
    return bool(colon) and not any(other.startswith(scheme + colon) for other in there_are)


def _meant(name: str, there_are: Collection[str]) -> str:
    close = get_close_matches(name, there_are, n=1)
    guess = f"did you mean {close[0]}? " if close else ""
    shown = ", ".join(sorted(there_are)[:_SHOWN])
    more = len(there_are) - _SHOWN
    return f"{guess}There {'are ' + shown if shown else 'is none at all'}{f' and {more} more' if more > 0 else ''}"
