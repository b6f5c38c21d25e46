"""What a question needs of the client, held against what the request declared.

Capabilities come with every request of 2026-07-28, and a server must not send an input request of a kind that the
client did not declare. Form mode, URL mode, sampling, sampling with tools and roots are each their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mrtr_adapter.engine.question import FORM, ROOTS, URL, Question


def missing(question: Question, declared: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The capability that `question` needs and `declared` lacks: its name, and `requiredCapabilities` for -32021.

    `declared` is `clientCapabilities` as on the wire. A bare `elicitation: {}` means form mode.
    """
    if question.kind in (FORM, URL):
        modes = declared.get("elicitation")
        supported = modes is not None and (
            "url" in modes if question.kind == URL else "form" in modes or "url" not in modes
        )
        return None if supported else (f"{question.kind} elicitation", {"elicitation": {question.kind: {}}})
    if question.kind == ROOTS:
        return None if declared.get("roots") is not None else ("roots", {"roots": {}})
    sampling = declared.get("sampling")
    if "tools" in question.params or "toolChoice" in question.params:
        supported = sampling is not None and "tools" in sampling
        return None if supported else ("sampling with tools", {"sampling": {"tools": {}}})
    return None if sampling is not None else ("sampling", {"sampling": {}})
