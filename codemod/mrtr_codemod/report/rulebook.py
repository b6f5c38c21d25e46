"""What the reports say about the rules themselves: one entry for every code that a finding can carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrtr_codemod.model import Level


@dataclass(frozen=True)
class RuleDoc:
    """A rule as it is documented. The four sections and `summary` are Markdown; `reference` is a URL."""

    code: str
    name: str
    level: Level
    summary: str
    what: str
    why: str
    example: str
    remedy: str
    reference: str

    @property
    def sections(self) -> tuple[tuple[str, str], ...]:
        """The documentation under its four headings."""
        return (
            ("What it does", self.what),
            ("Why is this bad", self.why),
            ("Example", self.example),
            ("What to do", self.remedy),
        )

    @property
    def markdown(self) -> str:
        """The documentation as one Markdown text."""
        parts = [f"## {title}\n\n{body}" for title, body in self.sections]
        return "\n\n".join([*parts, f"Reference: <{self.reference}>"])

    @property
    def text(self) -> str:
        """The documentation as plain text."""
        parts = [f"{title}\n{body}" for title, body in self.sections]
        return "\n\n".join([*parts, f"Reference: {self.reference}"])
