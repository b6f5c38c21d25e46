"""On which lines of a JSON text its strings stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
Place: TypeAlias = "tuple[int, str | int]"
"""The `id` of the list or object that holds a string, and its position or key there."""


def string_rows(text: str, document: object) -> dict[Place, int]:
    """The line, from 1, of each string that is a value in a document, by its place in what was parsed from `text`.

    Empty for a text in which a key is given twice: what was parsed has only one of them.
    """
    places = list(_strings(document))
    starts = [match.start() for match in _STRING.finditer(text)]
    if len(places) != len(starts):
        return {}
    found: dict[Place, int] = {}
    row, done = 1, 0
    for place, start in zip(places, starts, strict=True):
        row += text.count("\n", done, start)
        done = start
        if place is not None:
            found[place] = row
    return found


def _strings(document: object) -> Iterator[Place | None]:
    """The places of all strings in the order of the text; None for a key."""
    stack: list[Iterator[tuple[Place | None, Any]]] = [iter([(None, document)])]
    while stack:
        place, value = next(stack[-1], (None, stack))
        if value is stack:
            stack.pop()
        elif isinstance(value, str):
            yield place
        elif isinstance(value, dict):
            stack.append(_entries(value))
        elif isinstance(value, list):
            stack.append(iter([((id(value), position), item) for position, item in enumerate(value)]))


def _entries(mapping: dict[str, Any]) -> Iterator[tuple[Place | None, Any]]:
    for key, value in mapping.items():
        yield None, key
        yield (id(mapping), key), value
