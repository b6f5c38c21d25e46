"""What makes two asks the same question: the digest of what the client is shown."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FORM, URL, SAMPLING, ROOTS = "form", "url", "sampling", "roots"

ELICIT = "elicitation/create"
SAMPLE = "sampling/createMessage"
LIST_ROOTS = "roots/list"
ASKS = frozenset({ELICIT, SAMPLE, LIST_ROOTS})
"""The requests that may stand in `inputRequests` (SEP-2322)."""

_HIDDEN = frozenset({"elicitationId", "task", "_meta"})
"""Parameters that are not shown to the user and that 2026-07-28 does not carry."""


@dataclass(frozen=True)
class Question:
    """A request to the client as it goes on the wire."""

    method: str
    params: dict[str, Any]
    digest: str
    """16 characters: 96 bits of SHA-256 over the canonical JSON of method and params."""

    @classmethod
    def of(cls, method: str, params: Mapping[str, Any]) -> Question:
        shown = {name: value for name, value in params.items() if name not in _HIDDEN}
        return cls(method, shown, digest(method, shown))

    @property
    def kind(self) -> str:
        if self.method == ELICIT:
            return URL if self.params.get("mode") == "url" else FORM
        return SAMPLING if self.method == SAMPLE else ROOTS

    @property
    def wire(self) -> dict[str, Any]:
        """The entry of `inputRequests`."""
        return {"method": self.method, "params": self.params} if self.params else {"method": self.method}

    @property
    def text(self) -> str:
        """What the question says, in one line of at most 160 characters, for a person who compares two."""
        shown = self.params.get("message") if self.method == ELICIT else self.params.get("messages")
        if self.kind == URL:
            shown = f"{shown} <{self.params.get('url')}>"
        text = shown if isinstance(shown, str) else json.dumps(shown)
        return " ".join(text.split())[:160]


def digest(method: str, params: dict[str, Any]) -> str:
    """The identity of a message: the same for equal content, whatever the order of its keys."""
    canonical = json.dumps([method, params], sort_keys=True, separators=(",", ":"))
    return base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest()[:12]).decode()
