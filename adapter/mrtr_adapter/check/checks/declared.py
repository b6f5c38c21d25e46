"""What a server asks of a client that did not declare that it can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY

from mrtr_adapter.check.answering import is_elicitation, is_form
from mrtr_adapter.check.model import ELICITATION, META, Check, Level, Verdict
from mrtr_adapter.check.subject import Subject
from mrtr_adapter.check.wire import Reply

NOTHING = Check(
    "undeclared-never-asked",
    "A client that declares nothing is asked nothing, and gets -32021 with `data.requiredCapabilities`",
    Level.ERROR,
    META,
    "Look into the request's `clientCapabilities` before you ask. If the tool can't do without the answer, end the "
    "call with -32021 that names what is missing.",
)
NOT_CONFIRMED = Check(
    "undeclared-never-goes-on",
    "A call that would ask does not complete when nobody can be asked",
    Level.WARNING,
    META,
    "See what this call did without its answer. If it needs one, refuse with -32021; a failure to ask is no consent.",
)
OTHER_MODE = Check(
    "other-mode-never-asked",
    "A client is asked in the elicitation modes only that it declared",
    Level.ERROR,
    ELICITATION,
    "`elicitation.form` and `elicitation.url` are capabilities of their own: check the one that you ask by.",
)
FORM_BY_DEFAULT = Check(
    "empty-means-form",
    "`elicitation: {}` declares the form mode",
    Level.WARNING,
    ELICITATION,
    "Treat an empty `elicitation` capability as `{form: {}}`, as clients of earlier versions mean it.",
)
CHECKS = (NOTHING, NOT_CONFIRMED, OTHER_MODE, FORM_BY_DEFAULT)

_REST: Mapping[str, Any] = {"sampling": {"tools": {}}, "roots": {}}


async def check_declared(subject: Subject) -> list[Verdict]:
    """All of `CHECKS`."""
    bare = await subject.caller.begin(capabilities={})
    return [_nothing(subject, bare), _not_confirmed(subject, bare), *await _modes(subject)]


def _nothing(subject: Subject, bare: Reply) -> Verdict:
    if bare.kind == "complete" and not bare.tool_error:
        return subject.skipped(NOTHING, f"it completes without asking; see {NOT_CONFIRMED.id}")
    return subject.decided(NOTHING, bare, passed=_is_refusal(bare), note="sent with no capability declared")


def _not_confirmed(subject: Subject, bare: Reply) -> Verdict:
    went_on = bare.kind == "complete" and not bare.tool_error
    return subject.decided(NOT_CONFIRMED, bare, passed=not went_on, note="sent with no capability declared")


def _is_refusal(reply: Reply) -> bool:
    data = (reply.error or {}).get("data")
    named = data.get("requiredCapabilities") if isinstance(data, Mapping) else None
    return reply.code == MISSING_REQUIRED_CLIENT_CAPABILITY and isinstance(named, Mapping) and bool(named)


async def _modes(subject: Subject) -> list[Verdict]:
    requests = list(subject.first.requests.values())
    asked = {is_form(request) for request in requests if is_elicitation(request)}
    if len(asked) != 1:
        why = "it asks in both modes" if asked else "it elicits nothing"
        return [subject.skipped(check, why) for check in (OTHER_MODE, FORM_BY_DEFAULT)]
    by_form = asked.pop()
    other = "url" if by_form else "form"
    reply = await subject.caller.begin(capabilities={**_REST, "elicitation": {other: {}}})
    verdict = subject.decided(
        OTHER_MODE, reply, passed=not _elicits(reply), note=f"sent with elicitation.{other} only"
    )
    if not by_form:
        return [verdict, subject.skipped(FORM_BY_DEFAULT, "it asks by no form")]
    reply = await subject.caller.begin(capabilities={**_REST, "elicitation": {}})
    return [
        verdict,
        subject.decided(FORM_BY_DEFAULT, reply, passed=_elicits(reply), note="sent with `elicitation: {}`"),
    ]


def _elicits(reply: Reply) -> bool:
    return any(map(is_elicitation, reply.requests.values()))
