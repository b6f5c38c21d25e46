"""Requests and replies in one line, for a report. A state is told by its length, never shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_LONGEST = 300


def request(method: str, params: Mapping[str, Any]) -> str:
    """What was sent, without the metadata that every request has."""
    body = {name: _short(name, value) for name, value in params.items() if name != "_meta"}
    return cut(f"{method} {as_json(body)}" if body else method)


def result(found: Mapping[str, Any]) -> str:
    """A result, without its metadata."""
    body = {name: _short(name, value) for name, value in found.items() if name != "_meta"}
    return cut(as_json(body))


def error(found: Mapping[str, Any]) -> str:
    data = f" {as_json(found['data'])}" if found.get("data") is not None else ""
    return cut(f"error {found.get('code')}: {found.get('message')}{data}")


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def cut(text: str) -> str:
    """`text` in one line of at most 300 characters."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _short(name: str, value: Any) -> Any:
    if name == "requestState" and isinstance(value, str):
        return f"({len(value)} characters)"
    return value
