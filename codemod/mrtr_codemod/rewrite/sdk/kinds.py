"""Kinds: what type of the SDKs a value has, as far as that is known.

A kind is a set of type names, one for each type that the value may have: `Tool`, `list[Tool]`, `dict[Tool]`, or
`class:Name` for a class of the module. A value that may be anything else has no kind.
"""

from __future__ import annotations

from collections.abc import Iterable

Kind = frozenset[str]
NOTHING: Kind = frozenset()


def parsed(text: str) -> Kind:
    """The kind that a table writes as `A|B` or `list[A]`."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(f"{text}|"):
        depth += (char == "[") - (char == "]")
        if char == "|" and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return frozenset(part for part in parts if part)


def elements(kind: Kind, container: str = "list") -> Kind:
    """What is in the containers of a kind."""
    found = [parsed(k[len(container) + 1 : -1]) for k in kind if k.startswith(f"{container}[")]
    return frozenset().union(*found) if len(found) == len(kind) else NOTHING


def inside(container: str, kind: Kind) -> Kind:
    """The kind of a container of such values."""
    return frozenset([f"{container}[{'|'.join(sorted(kind))}]"]) if kind else NOTHING


def joined(kinds: Iterable[Kind]) -> Kind:
    """One kind for values of any of these; nothing if one of them is not known."""
    found = list(kinds)
    return frozenset().union(*found) if all(found) else NOTHING


def join_environments(ends: list[dict[str, Kind]]) -> dict[str, Kind]:
    """What is known of each name where several ways meet."""
    names = dict.fromkeys(name for end in ends for name in end)
    return {name: joined([end[name] for end in ends if name in end]) for name in names}
