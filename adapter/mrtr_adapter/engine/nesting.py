"""How deep JSON goes. A client chooses that, and code that recurses has to be safe from it."""

from __future__ import annotations

ANSWER_LEVELS = 64
"""Of an answer."""

JOURNAL_LEVELS = ANSWER_LEVELS + 16
"""Of a journal, which has answers in it."""


def deeper_than(value: object, levels: int) -> bool:
    """Whether objects and lists are nested in `value` more than `levels` deep."""
    level = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(levels):
        if not level:
            return False
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, _CONTAINERS)
        ]
    return bool(level)


_CONTAINERS = (dict, list)
