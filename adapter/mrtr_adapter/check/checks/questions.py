"""The form of what a round ends with: its questions, their keys, and that there is something at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from mrtr_adapter.check.answering import is_elicitation, is_form, parameters
from mrtr_adapter.check.model import FORM, SERVER_REQUIREMENTS, URL, Check, Level, Verdict
from mrtr_adapter.check.subject import Subject
from mrtr_adapter.check.wire import Reply
from mrtr_adapter.engine.question import ASKS

CONTENT = Check(
    "round-has-content",
    "A round that ends with `input_required` carries `inputRequests`, a `requestState`, or both",
    Level.ERROR,
    SERVER_REQUIREMENTS,
    "Give the client something to answer or to come back with: `inputRequests` as a map, `requestState` as text.",
)
KINDS = Check(
    "ask-kinds",
    "Each of `inputRequests` is `elicitation/create`, `sampling/createMessage` or `roots/list`",
    Level.ERROR,
    SERVER_REQUIREMENTS,
    "Ask by one of the three methods only; a client can't fulfil any other.",
)
KEYS = Check(
    "ask-keys",
    "The keys of `inputRequests` are not empty, and the same call asks under the same keys again",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Name each question by what it is for. A key that is new each time can't be found again in logs, tests and "
    "recorded answers.",
)
FORMS = Check(
    "form-is-flat",
    "Forms ask for a flat object of texts, numbers, booleans and choices",
    Level.ERROR,
    FORM,
    "Ask for nested values one by one: a client can't draw a form for them.",
)
PAGES = Check(
    "page-has-url",
    "URL requests carry an absolute URL and no `elicitationId`",
    Level.ERROR,
    URL,
    "Send `mode`, `message` and `url`. What tells one request from another belongs into the sealed `requestState`.",
)
CHECKS = (CONTENT, KINDS, KEYS, FORMS, PAGES)

_PRIMITIVES = frozenset({"string", "number", "integer", "boolean"})


async def check_questions(subject: Subject) -> list[Verdict]:
    """All of `CHECKS`, on the first round of the call."""
    first = subject.first
    requests = list(first.requests.values())
    forms = [parameters(request) for request in requests if is_form(request)]
    pages = [parameters(request) for request in requests if is_elicitation(request) and not is_form(request)]
    return [
        subject.decided(CONTENT, first, passed=_has_content(first)),
        subject.decided(KINDS, first, passed=all(map(_is_ask, requests))),
        await _keys(subject),
        _each(subject, FORMS, forms, passed=all(map(_is_flat, forms)), none="it asks by no form"),
        _each(subject, PAGES, pages, passed=all(map(_is_page, pages)), none="it sends the user to no page"),
    ]


def _each(subject: Subject, check: Check, found: list[Any], *, passed: bool, none: str) -> Verdict:
    return subject.decided(check, subject.first, passed=passed) if found else subject.skipped(check, none)


async def _keys(subject: Subject) -> Verdict:
    again = await subject.caller.begin()
    same = again.requests.keys() == subject.first.requests.keys()
    return subject.decided(KEYS, again, passed=same and all(key.strip() for key in again.requests))


def _has_content(reply: Reply) -> bool:
    result = reply.result or {}
    requests, state = result.get("inputRequests"), result.get("requestState")
    if requests is not None and not isinstance(requests, Mapping):
        return False
    if state is not None and not isinstance(state, str):
        return False
    return bool(requests) or state is not None


def _is_ask(request: object) -> bool:
    return isinstance(request, Mapping) and request.get("method") in ASKS


def _is_flat(params: Mapping[str, Any]) -> bool:
    schema = params.get("requestedSchema")
    if not isinstance(schema, Mapping) or schema.get("type") != "object" or not params.get("message"):
        return False
    properties = schema.get("properties", {})
    return isinstance(properties, Mapping) and all(map(_is_field, properties.values()))


def _is_field(field: object) -> bool:
    if not isinstance(field, Mapping):
        return False
    if field.get("type") != "array":
        return field.get("type") in _PRIMITIVES
    items = field.get("items")
    return isinstance(items, Mapping) and bool(items.get("enum") or items.get("anyOf"))


def _is_page(params: Mapping[str, Any]) -> bool:
    url = params.get("url")
    absolute = isinstance(url, str) and bool(urlsplit(url).scheme and urlsplit(url).netloc)
    return absolute and "elicitationId" not in params and bool(params.get("message"))
