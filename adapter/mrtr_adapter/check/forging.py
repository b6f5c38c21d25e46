"""States as an attacker would send them."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from typing import Any

_MOST = 12
"""How many forgeries of one state are tried."""

Write = Callable[[Any], str]


def flipped(state: str) -> Iterator[tuple[str, str]]:
    """The state with one character changed, and where. Not the last one, of which an encoding may ignore bits."""
    if not state:
        return
    for part in (0.1, 0.3, 0.5, 0.7, 0.9):
        place = int((len(state) - 1) * part)
        other = "A" if state[place] != "A" else "B"
        yield state[:place] + other + state[place + 1 :], f"character {place + 1} changed"


def cut(state: str) -> Iterator[tuple[str, str]]:
    """The state too short, too long and empty."""
    yield state[: len(state) // 2], "the first half only"
    yield state[:-4], "without its last 4 characters"
    yield f"AAAA{state}", "with 4 characters more in front"
    yield "", "empty"


def legible(state: str) -> tuple[Any, Write] | None:
    """What anybody can read in a state, and how to write it back; None if nothing can be read.

    Looks for JSON, as it is or in base64, in the whole state or in one of its parts between dots.
    """
    for place, part in _parts(state):
        found = _read(part)
        if found is not None:
            value, write = found

            def back(changed: Any, place: int = place, write: Write = write) -> str:
                parts = state.split(".") if place >= 0 else [state]
                parts[max(place, 0)] = write(changed)
                return ".".join(parts)

            return value, back
    return None


def forged(state: str) -> Iterator[tuple[str, str]]:
    """The state with one of its legible values changed, and which."""
    found = legible(state)
    if found is None:
        return
    value, write = found
    for _, (changed, what) in zip(range(_MOST), _changes(value, ""), strict=False):
        yield write(changed), f"{what or 'the value'} changed"


def _parts(state: str) -> Iterator[tuple[int, str]]:
    yield -1, state
    if "." in state:
        yield from enumerate(state.split("."))


def _read(text: str) -> tuple[Any, Write] | None:
    value = _container(text)
    if value is not None:
        return value, json.dumps
    for decode, encode in (
        (base64.urlsafe_b64decode, base64.urlsafe_b64encode),
        (base64.b64decode, base64.b64encode),
    ):
        try:
            plain = decode(text + "=" * (-len(text) % 4)).decode()
        except (binascii.Error, ValueError):
            continue
        value = _container(plain)
        if value is not None:
            padded = text.endswith("=") or len(text) % 4 == 0
            return value, lambda changed, encode=encode, padded=padded: _encoded(changed, encode, padded)
    return None


def _encoded(value: Any, encode: Callable[[bytes], bytes], padded: bool) -> str:
    text = encode(json.dumps(value).encode()).decode()
    return text if padded else text.rstrip("=")


def _container(text: str) -> Any:
    """JSON that holds anything; a bare number or word is no sign of it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def _changes(value: Any, path: str) -> Iterator[tuple[Any, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            for changed, what in _changes(item, f"{path}.{key}".lstrip(".")):
                yield {**value, key: changed}, what
    elif isinstance(value, list):
        for number, item in enumerate(value):
            for changed, what in _changes(item, f"{path}[{number}]"):
                yield [*value[:number], changed, *value[number + 1 :]], what
    else:
        yield _other(value), path


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else True
