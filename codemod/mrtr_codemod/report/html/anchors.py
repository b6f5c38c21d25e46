"""The addresses inside the page, so that its parts can point at each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrtr_codemod.model import Finding, Handler
    from mrtr_codemod.report.outcome import Outcome


@dataclass(frozen=True)
class Anchors:
    """The id of each finding, handler and rule of the page."""

    findings: dict[Finding, str]
    handlers: dict[tuple[str, str, int], str]

    @classmethod
    def of(cls, outcome: Outcome) -> Anchors:
        shown = [*outcome.findings, *(item.finding for item in outcome.suppressed)]
        return cls(
            {finding: f"finding-{number}" for number, finding in enumerate(shown, 1)},
            {_key(handler): f"handler-{number}" for number, handler in enumerate(outcome.asking, 1)},
        )

    def finding(self, finding: Finding) -> str:
        """The id of a finding, or of its rule when the page does not list the finding."""
        return self.findings.get(finding, finding.rule)

    def handler(self, handler: Handler) -> str:
        """The id of a handler that asks."""
        return self.handlers[_key(handler)]

    def handler_of(self, finding: Finding) -> str | None:
        """The id of the handler that a finding belongs to, if the page shows it."""
        near = self._named.get((finding.span.path, finding.handler or ""), [])
        above = [item for item in near if item[0] <= finding.span.line]
        return max(above)[1] if above else (near[0][1] if near else None)

    @cached_property
    def _named(self) -> dict[tuple[str, str], list[tuple[int, str]]]:
        """The line and id of the handlers of each name in each file."""
        named: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for (path, name, line), anchor in self.handlers.items():
            named.setdefault((path, name), []).append((line, anchor))
        return named


def _key(handler: Handler) -> tuple[str, str, int]:
    return (handler.span.path, handler.name, handler.span.line)
