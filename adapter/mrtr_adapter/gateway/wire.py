"""What a request of 2026-07-28 is for an old server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PROGRESS_TOKEN = "progressToken"  # noqa: S105  # the spec's name for it
_OURS = frozenset({"requestState", "inputResponses"})
_TOKEN = "call"  # noqa: S105
"""A session has one call at a time."""
_RESERVED = "io.modelcontextprotocol/"
"""`_meta` keys of the protocol itself, which older versions know nothing of."""


def old_params(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters as the old server gets them: without what only 2026-07-28 has."""
    kept = {name: value for name, value in (params or {}).items() if name not in _OURS}
    meta = {
        name: value
        for name, value in (kept.pop("_meta", None) or {}).items()
        if not name.startswith(_RESERVED)
    }
    return {**kept, "_meta": meta} if meta else kept


def bridged_params(params: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The parameters of an older client's request. Tasks of 2025-11-25 are not announced to it, so what it says of
    them is ignored, as that version wants it."""
    return None if params is None else {name: value for name, value in params.items() if name != "task"}


def call_params(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters of a call, with a token that its progress will be told by. Whether the client wants to hear of
    it is decided when there is any: not every transport says so beforehand."""
    kept = old_params(params)
    return {**kept, "_meta": {**kept.get("_meta", {}), PROGRESS_TOKEN: _TOKEN}}


def target(method: str, params: Mapping[str, Any]) -> str:
    """The tool, prompt or resource that a call is about."""
    return str(params.get("uri" if method == "resources/read" else "name"))
