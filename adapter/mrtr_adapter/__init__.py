"""Runs await-style MCP handlers on protocol 2026-07-28 (Multi Round-Trip Requests, SEP-2322).

    from mrtr_adapter import adapt

    adapt(server)

Names are imported when they are first used, so that the command can be asked for help without importing mcp.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mrtr_adapter.binding.versions import require

if TYPE_CHECKING:
    from mrtr_adapter.binding.adapt import adapt as adapt
    from mrtr_adapter.recording.handler import flow as flow
    from mrtr_adapter.recording.handler import memo as memo
    from mrtr_adapter.recording.handler import now as now
    from mrtr_adapter.recording.handler import on_commit as on_commit
    from mrtr_adapter.recording.handler import once as once
    from mrtr_adapter.recording.handler import shed as shed
    from mrtr_adapter.recording.recording import RecordedError as RecordedError
    from mrtr_adapter.recording.values import Unrecordable as Unrecordable

_HOMES = {
    "adapt": "mrtr_adapter.binding.adapt",
    **dict.fromkeys(("flow", "memo", "now", "on_commit", "once", "shed"), "mrtr_adapter.recording.handler"),
    "RecordedError": "mrtr_adapter.recording.recording",
    "Unrecordable": "mrtr_adapter.recording.values",
}

__all__ = [
    "RecordedError",
    "Unrecordable",
    "adapt",
    "flow",
    "memo",
    "now",
    "on_commit",
    "once",
    "shed",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("mcp")  # or the import would fail over whatever mcp 1.x lacks first
    return getattr(import_module(home), name)
