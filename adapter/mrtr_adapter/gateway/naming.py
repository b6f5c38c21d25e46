"""The key under which a client sees a question of an old server.

On the old wire a question has no name. What comes nearest is what its form says of itself: its title, which is the
name of a class where an SDK has made the schema from one, or the name of its only field.
"""

from __future__ import annotations

import re

from mrtr_adapter.engine.question import ELICIT
from mrtr_adapter.engine.site import Site
from mrtr_adapter.gateway.link import Message

_NAME = re.compile(r"[A-Za-z]\w{0,63}")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def site_of(request: Message) -> Site:
    """Where an old server asks: a place that is not known, and the name of the question if there is any."""
    return Site("<old server>", 0, _name(request), in_root=False)


def _name(request: Message) -> str | None:
    if request["method"] != ELICIT:
        return None
    schema = (request.get("params") or {}).get("requestedSchema") or {}
    title = schema.get("title")
    if isinstance(title, str) and _NAME.fullmatch(title):
        return _WORD_START.sub("_", title).lower()
    fields = list(schema.get("properties") or {})
    return fields[0] if len(fields) == 1 and _NAME.fullmatch(fields[0]) else None
