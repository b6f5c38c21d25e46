"""What an old session is told of its client, and which of them may share one.

Old servers look at the client's capabilities once, at `initialize`, and show their tools accordingly. A request of
2026-07-28 declares its own, so it gets a session that was opened with just these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext

from mrtr_adapter.engine import capabilities
from mrtr_adapter.engine.question import Question

_CARRIED = ("elicitation", "sampling", "roots", "experimental")
"""Capabilities of 2026-07-28 that an older server can understand."""


@dataclass(frozen=True)
class SessionKind:
    """Requests of one kind may use the same old session."""

    principal: str | None
    """Who it is for; None where nobody is told apart."""
    capabilities: str
    """As on the wire, in canonical JSON."""

    @classmethod
    def of(cls, principal: str | None, declared: Mapping[str, Any]) -> SessionKind:
        carried = {name: declared[name] for name in _CARRIED if declared.get(name) is not None}
        return cls(principal, json.dumps(carried, sort_keys=True, separators=(",", ":")))

    @property
    def declared(self) -> dict[str, Any]:
        """The capabilities for `initialize`."""
        declared: dict[str, Any] = json.loads(self.capabilities)
        return declared

    def can_answer(self, request: Mapping[str, Any]) -> bool:
        """Whether a server may ask this, by what the client has declared."""
        question = Question.of(request["method"], request.get("params") or {})
        return capabilities.missing(question, self.declared) is None


def declared_by(ctx: ServerRequestContext[Any, Any]) -> dict[str, Any]:
    """What the client of this request can do, as on the wire."""
    declared = ctx.session.client_capabilities
    return declared.model_dump(by_alias=True, mode="json", exclude_none=True) if declared else {}
