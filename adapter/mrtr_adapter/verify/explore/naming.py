"""Names for cases that were found: what is called, and what is answered."""

from __future__ import annotations

import json

from mrtr_adapter.verify.answers import Answer, Elicited, Roots, Text
from mrtr_adapter.verify.cases import Case

_LONGEST = 120


def named(case: Case, taken: set[str]) -> Case:
    """The case under a name that is not in `taken`, and then is."""
    arguments = json.dumps(case.arguments, ensure_ascii=False) if case.arguments else ""
    called = f"{case.request.target} {arguments}".strip()
    told = ", ".join(map(_told, case.answers))
    name = _short(f"{called}: {told}" if told else called)
    number = 1
    while (unique := name if number == 1 else f"{name} ({number})") in taken:
        number += 1
    taken.add(unique)
    return case.model_copy(update={"name": unique})


def _told(answer: Answer) -> str:
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Elicited):
        content = f" {json.dumps(answer.content, ensure_ascii=False)}" if answer.content else ""
        return f"{answer.action}{content}"
    if isinstance(answer, Text):
        return f"text {answer.text!r}"
    return f"{len(answer.roots)} roots" if isinstance(answer, Roots) else "message"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
