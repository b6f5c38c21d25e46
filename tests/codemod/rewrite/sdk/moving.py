"""Move a source to the new SDKs in a test."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from mrtr_codemod.rewrite.sdk.rename import Renamed, rename


def moved(source: str) -> Renamed:
    """The source as it is under the new SDKs; checks that a second run changes nothing."""
    once = rename(dedent(source).encode())
    assert rename(once.source.encode()).source == once.source
    return once


def becomes(before: str, after: str) -> None:
    """The one becomes the other, and nothing is left to do by hand."""
    found = moved(before)
    assert found.source == dedent(after)
    assert found.notes == ()


def told(found: Renamed) -> tuple[str, ...]:
    """What is left to do by hand, as a user reads it."""
    return tuple(map(str, found.notes))


def stays(source: str) -> Renamed:
    """The source stays as it is."""
    found = moved(source)
    assert found.source == dedent(source)
    return found


def running(source: str) -> dict[str, Any]:
    """The names of the moved source, once it has run."""
    scope: dict[str, Any] = {"__name__": "moved"}
    exec(compile(moved(source).source, "moved.py", "exec"), scope)
    return scope
