"""Retries with answers as a client may send them: whole, lacking, too many, of the wrong kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mrtr_adapter.check.answering import Action, is_elicitation, is_form, parameters
from mrtr_adapter.check.judging import Taken, leads_on, taken
from mrtr_adapter.check.model import (
    CLIENT_REQUIREMENTS,
    ERROR_HANDLING,
    SERVER_REQUIREMENTS,
    Check,
    Level,
    Verdict,
)
from mrtr_adapter.check.subject import Subject

NEW_ID = Check(
    "retry-under-new-id",
    "A retry under another id, a number or a text, gets the call further",
    Level.ERROR,
    CLIENT_REQUIREMENTS,
    "Find the call again by its `requestState`, never by the id of the request: each round has a new one.",
)
MISSING = Check(
    "missing-answer-asked-again",
    "A retry that lacks the answers is asked again",
    Level.WARNING,
    ERROR_HANDLING,
    "Where an answer is missing, end the round with the question once more. It is neither a yes nor a no.",
)
EXTRA = Check(
    "extra-answer-ignored",
    "An answer under a key that was not asked changes nothing",
    Level.WARNING,
    ERROR_HANDLING,
    "Ignore keys of `inputResponses` that you do not know.",
)
NO_OBJECT = Check(
    "malformed-answer-refused",
    "An answer that is no object is refused",
    Level.WARNING,
    ERROR_HANDLING,
    "Validate each entry of `inputResponses` before the handler sees it, and answer a broken one with -32602.",
)
WRONG_KIND = Check(
    "wrong-kind-refused",
    "A result of another method is no answer",
    Level.WARNING,
    ERROR_HANDLING,
    "Hold each entry of `inputResponses` against the result type of the request that it answers.",
)
NO_ACTION = Check(
    "unknown-action-refused",
    "An action other than accept, decline and cancel is no answer",
    Level.WARNING,
    ERROR_HANDLING,
    "Accept the three actions only, and nothing but `accept` as consent.",
)
BROKEN_CONTENT = Check(
    "broken-content-refused",
    "Content that breaks the requested schema is not accepted",
    Level.WARNING,
    ERROR_HANDLING,
    "Validate what was accepted against the schema that you asked with; ask again, or refuse.",
)
SWAPPED = Check(
    "answers-belong-to-keys",
    "Two answers under each other's keys are not accepted",
    Level.WARNING,
    ERROR_HANDLING,
    "Find an answer by its key, never by its place.",
)
UNASKED = Check(
    "answer-needs-its-state",
    "Answers without the state that asked for them are not accepted",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Count an answer only if the state that came with it shows that it was asked for: a client may leave the state "
    "out as well as change it.",
)
CHECKS = (NEW_ID, MISSING, EXTRA, NO_OBJECT, WRONG_KIND, NO_ACTION, BROKEN_CONTENT, SWAPPED, UNASKED)

_STRANGER: Mapping[str, Any] = {"mrtr-check-nobody-asked": {"action": "decline"}}


async def check_retries(subject: Subject) -> list[Verdict]:
    """All of `CHECKS`."""
    if not subject.first.requests:
        return [
            subject.skipped(check, "it asks nothing, it only wants to be called again") for check in CHECKS
        ]
    return [
        await _new_id(subject),
        await _missing(subject),
        await _extra(subject),
        await _all(subject, NO_OBJECT, lambda request: "mrtr-check"),
        await _all(subject, WRONG_KIND, _of_another_kind),
        await _no_action(subject),
        await _broken_content(subject),
        await _swapped(subject),
        await _unasked(subject),
    ]


async def _new_id(subject: Subject) -> Verdict:
    begun = await subject.caller.begun()
    reply = await subject.caller.retry(begun.first.state, begun.answers, text_id=True)
    further = leads_on(subject.honest, subject.first) and leads_on(reply, begun.first)
    return subject.decided(NEW_ID, reply, passed=further)


async def _missing(subject: Subject) -> Verdict:
    begun = await subject.caller.begun()
    reply = await subject.caller.retry(begun.first.state, {})
    passed = reply.requests.keys() >= begun.first.requests.keys()
    return subject.decided(MISSING, reply, passed=reply.asks and passed)


async def _extra(subject: Subject) -> Verdict:
    begun = await subject.caller.begun()
    reply = await subject.caller.retry(begun.first.state, {**begun.answers, **_STRANGER})
    return subject.decided(EXTRA, reply, passed=taken(reply, begun.first, subject.honest) != Taken.REFUSED)


async def _all(subject: Subject, check: Check, answer: Any) -> Verdict:
    """A retry in which this stands in the place of every answer."""
    begun = await subject.caller.begun()
    given = {key: answer(request) for key, request in begun.first.requests.items()}
    return subject.refused(check, await subject.caller.retry(begun.first.state, given))


def _of_another_kind(request: object) -> dict[str, Any]:
    return {"roots": []} if is_elicitation(request) else {"action": "decline"}


async def _no_action(subject: Subject) -> Verdict:
    if not all(map(is_elicitation, subject.first.requests.values())):
        return subject.skipped(NO_ACTION, "it asks for more than elicitation")
    return await _all(subject, NO_ACTION, lambda request: {"action": "mrtr-check"})


async def _broken_content(subject: Subject) -> Verdict:
    forms = {key for key, request in subject.first.requests.items() if is_form(request)}
    wanting = {key for key in forms if _required(subject.first.requests[key])}
    if not wanting:
        return subject.skipped(BROKEN_CONTENT, "it asks by no form that requires anything")
    if subject.caller.action is not Action.ACCEPT:
        return subject.skipped(BROKEN_CONTENT, "nothing is accepted without --answer accept")
    begun = await subject.caller.begun()
    given = {**begun.answers, **{key: {"action": "accept", "content": {}} for key in wanting}}
    return subject.refused(BROKEN_CONTENT, await subject.caller.retry(begun.first.state, given))


def _required(request: object) -> bool:
    schema = parameters(request).get("requestedSchema")
    return isinstance(schema, Mapping) and bool(schema.get("required"))


async def _swapped(subject: Subject) -> Verdict:
    begun = await subject.caller.begun()
    keys = list(begun.answers)
    if len({str(answer) for answer in begun.answers.values()}) < 2:
        return subject.skipped(SWAPPED, "it asks nothing at once that would be answered differently")
    given = {key: begun.answers[other] for key, other in zip(keys, keys[1:] + keys[:1], strict=True)}
    return subject.refused(SWAPPED, await subject.caller.retry(begun.first.state, given))


async def _unasked(subject: Subject) -> Verdict:
    begun = await subject.caller.begun()
    if begun.first.state is None:
        return subject.skipped(UNASKED, "it sends no requestState")
    return subject.refused(UNASKED, await subject.caller.retry(None, begun.answers))
