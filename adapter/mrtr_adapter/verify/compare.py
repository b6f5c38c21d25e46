"""Where a run on 2026-07-28 differs from the native one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import Any

from mcp_types import INTERNAL_ERROR, MISSING_REQUIRED_CLIENT_CAPABILITY, URL_ELICITATION_REQUIRED

from mrtr_adapter.engine.question import FORM, Question
from mrtr_adapter.verify.effects import effect_differences
from mrtr_adapter.verify.runs import Asked, Difference, Outcome, Run, described

_UNMAPPED = 0
"""The code of an exception that is no protocol error, on old sessions."""


def differences(native: Run, other: Run, *, allow_repeat: bool) -> list[Difference]:
    """What differs in result, questions and effects, in this order.

    Not told apart: the order of questions that are open at the same time; the error -32042, which 2026-07-28 does not
    have, and what comes in its place; and how a call is refused that asks what the client has not declared.
    """
    return [
        *_in_result(native.outcome, other.outcome),
        *_in_questions(native.asked, other.asked),
        *effect_differences(native, other, allow_repeat=allow_repeat),
    ]


def _in_result(native: Outcome, other: Outcome) -> list[Difference]:
    if native == other or _both_refused(native, other):
        return []
    if native.kind == other.kind == "error" and _alike(native.body, other.body):
        return []
    return [Difference("result", "result", outcome_text(native), outcome_text(other))]


def _alike(native: dict[str, Any], other: dict[str, Any]) -> bool:
    code = native.get("code")
    if code == _UNMAPPED:
        return other.get("code") == INTERNAL_ERROR
    same_text = native.get("message") == other.get("message")
    return same_text and code in (other.get("code"), URL_ELICITATION_REQUIRED)


def _both_refused(native: Outcome, other: Outcome) -> bool:
    return lacks_capability(other) and is_refusal(native)


def lacks_capability(outcome: Outcome) -> bool:
    """Whether the call has ended with -32021."""
    return outcome.kind == "error" and outcome.body.get("code") == MISSING_REQUIRED_CLIENT_CAPABILITY


def is_refusal(outcome: Outcome) -> bool:
    """Whether the call has come to nothing: by an error of the protocol or of the tool."""
    return outcome.kind != "result" or bool(outcome.body.get("isError"))


def outcome_text(outcome: Outcome) -> str:
    """How a call has ended, for a person."""
    if outcome.kind == "unanswered":
        return "stopped at a question that has no answer"
    if not outcome.ended:
        return f"{outcome.kind}: {outcome.body}"
    if outcome.kind == "error":
        return f"error {outcome.body.get('code')}: {outcome.body.get('message')}"
    shown = outcome.body.get("content") or outcome.body.get("contents")
    texts = [part["text"] for part in shown if "text" in part] if isinstance(shown, list) else []
    if isinstance(shown, list) and len(texts) == len(shown):
        error = "tool error: " if outcome.body.get("isError") else ""
        return error + "\n".join(texts) + _structured(outcome.body, texts)
    return json.dumps(outcome.body, ensure_ascii=False, sort_keys=True)


def _structured(body: dict[str, Any], texts: Sequence[str]) -> str:
    """Structured content, where it says more than the text."""
    structured = body.get("structuredContent")
    if structured is None or structured == {"result": texts[0] if texts else None}:
        return ""
    return f"\n{json.dumps(structured, ensure_ascii=False, sort_keys=True)}"


def _in_questions(native: Sequence[Asked], other: Sequence[Asked]) -> list[Difference]:
    if _is_order_of(native, other) or _is_order_of(other, native):
        return []
    before, after = ([asked.question for asked in run] for run in (native, other))
    matcher = SequenceMatcher(None, _digests(before), _digests(after), autojunk=False)
    found = []
    for change, first, last, start, end in matcher.get_opcodes():
        if change == "equal":
            continue
        for place, (was, now) in enumerate(zip_longest(before[first:last], after[start:end]), first + 1):
            found.append(_question_difference(place, was, now))
    return found


def _question_difference(place: int, was: Question | None, now: Question | None) -> Difference:
    whole = was is not None and now is not None and was.text == now.text
    return Difference(
        "question", f"question {place}", _question_text(was, whole=whole), _question_text(now, whole=whole)
    )


def _question_text(question: Question | None, *, whole: bool) -> str:
    """`whole` shows all of it, where the text alone does not tell the difference."""
    if question is None:
        return "not asked"
    if not whole:
        return described(question)
    shown = question.params.get("requestedSchema") if question.kind == FORM else question.params
    return f"{described(question)} {json.dumps(shown, ensure_ascii=False, sort_keys=True)}"


def _digests(questions: Sequence[Question]) -> list[str]:
    return [question.digest for question in questions]


def _is_order_of(grouped: Sequence[Asked], asked: Sequence[Asked]) -> bool:
    """Whether `asked` is `grouped` up to the order within its groups."""
    if len(grouped) != len(asked):
        return False
    start = 0
    for _, members in groupby(grouped, key=lambda each: each.group):
        group = Counter(member.question.digest for member in members)
        size = sum(group.values())
        if Counter(each.question.digest for each in asked[start : start + size]) != group:
            return False
        start += size
    return True
