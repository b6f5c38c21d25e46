"""An option of a server that may differ from tool to tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Chosen(Generic[ValueT]):
    """What holds for all, and what for some by name (of a tool or prompt, or the URI of a resource)."""

    default: ValueT
    named: Mapping[str, ValueT] = field(default_factory=dict)

    def of(self, name: str) -> ValueT:
        return self.named.get(name, self.default)
