"""What the check answers when it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from mrtr_adapter.engine.question import ELICIT, LIST_ROOTS, SAMPLE
from mrtr_adapter.schemas.example import NoExample, example

SAMPLED: Mapping[str, Any] = {
    "role": "assistant",
    "content": {"type": "text", "text": "This is mrtr check, not a model."},
    "model": "mrtr-check",
    "stopReason": "endTurn",
}
ROOTS: Mapping[str, Any] = {"roots": []}


class Action(Enum):
    """What the check says to questions of a form or a page. Only `accept` lets a server go on with its act."""

    DECLINE = "decline"
    CANCEL = "cancel"
    ACCEPT = "accept"


class CannotAnswer(Exception):
    """There is no answer that fits a question; the message says which."""


def answers(requests: Mapping[str, Any], action: Action) -> dict[str, Any]:
    """An answer to each of a round's requests.

    Raises:
        CannotAnswer: one that is to be accepted has a schema that no content was found for.
    """
    return {key: answer(key, request, action) for key, request in requests.items()}


def answer(key: str, request: Any, action: Action) -> dict[str, Any]:
    """As `answers`, for one request. One of an unknown method gets what a form would."""
    method = request.get("method") if isinstance(request, Mapping) else None
    if method == SAMPLE:
        return dict(SAMPLED)
    if method == LIST_ROOTS:
        return dict(ROOTS)
    params = parameters(request)
    if action is not Action.ACCEPT or is_page(request):
        return {"action": action.value}
    try:
        return {"action": "accept", "content": example(params.get("requestedSchema") or {"type": "object"})}
    except NoExample as lack:
        raise CannotAnswer(f"the question {key!r} can't be accepted: {lack}") from None


def is_elicitation(request: Any) -> bool:
    return isinstance(request, Mapping) and request.get("method") == ELICIT


def is_form(request: Any) -> bool:
    return is_elicitation(request) and parameters(request).get("mode", "form") == "form"


def is_page(request: Any) -> bool:
    return is_elicitation(request) and parameters(request).get("mode") == "url"


def parameters(request: Any) -> Mapping[str, Any]:
    """The `params` of a request of the server's, empty if it has none."""
    params = request.get("params") if isinstance(request, Mapping) else None
    return params if isinstance(params, Mapping) else {}
