"""What the report says of each handler that asks."""

from __future__ import annotations

from collections.abc import Iterable

from mrtr_codemod.analysis.analysis import Analysis
from mrtr_codemod.model import Finding, Handler


def handlers_of(analysis: Analysis, findings: Iterable[Finding]) -> list[Handler]:
    """The handlers of a repo that ask."""
    return []
