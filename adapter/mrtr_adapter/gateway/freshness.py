"""How long clients may reuse what an old server has said (SEP-2549), which the old protocol has no words for.

A server that announces `listChanged` may change that list at any moment, by a call as well, and not every client
listens: nothing of it is fresh. One that does not announce it has, by the old protocol, no way to tell that a list has
changed, so clients have always fetched it once a session. They may keep it for a minute, after which a new version of
the server is seen. What a resource holds may change at any time. What an old server says itself goes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.caching import CacheableMethod, CacheHint

STEADY_MS = 60_000
_LISTS: dict[CacheableMethod, str] = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resources",
}


def cache_hints(capabilities: Mapping[str, Any]) -> dict[CacheableMethod, CacheHint]:
    """The hints for a server with these capabilities. Everything is private, since lists differ by who asks."""
    hints: dict[CacheableMethod, CacheHint] = {
        method: _hint(not (capabilities.get(ability) or {}).get("listChanged"))
        for method, ability in _LISTS.items()
    }
    return {**hints, "server/discover": _hint(True), "resources/read": _hint(False)}


def _hint(steady: bool) -> CacheHint:
    return CacheHint(ttl_ms=STEADY_MS if steady else 0, scope="private")
