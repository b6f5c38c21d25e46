"""Whether a state is good for nothing but what it was made for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from anyio import sleep

from mrtr_adapter.check import forging
from mrtr_adapter.check.judging import Taken, taken
from mrtr_adapter.check.model import SERVER_REQUIREMENTS, Check, Level, Status, Verdict
from mrtr_adapter.check.subject import Subject

_SEAL = (
    "Seal the state with an AEAD cipher (`RequestStateSecurity(keys=[…])` in the Python SDK) and refuse what does not "
    "open. If nothing but the failure of the call depends on this state, you may leave it."
)
FLIPPED = Check(
    "changed-state-refused",
    "A state with one character changed is refused",
    Level.ERROR,
    SERVER_REQUIREMENTS,
    _SEAL,
)
CUT = Check(
    "cut-state-refused",
    "A state that is too short, too long or empty is refused",
    Level.ERROR,
    SERVER_REQUIREMENTS,
    _SEAL,
)
FORGED = Check(
    "forged-state-refused",
    "A state whose legible values were changed is refused",
    Level.ERROR,
    SERVER_REQUIREMENTS,
    _SEAL,
)
LEGIBLE = Check(
    "state-is-sealed",
    "Nobody but the server can read the state",
    Level.INFO,
    SERVER_REQUIREMENTS,
    "Encrypt the state: clients keep it in logs and in records of the conversation. If that is harmless, leave it.",
)
OTHER_ARGUMENTS = Check(
    "state-bound-to-arguments",
    "A state is refused on a call with other arguments",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Put a digest of the arguments under the seal and check it: the user has agreed to this call, not to another.",
)
OTHER_TOOL = Check(
    "state-bound-to-tool",
    "A state is refused on a call of another tool",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Put the method and the tool's name under the seal and check them.",
)
OTHER_USER = Check(
    "state-bound-to-user",
    "A state is refused when another user sends it",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Put the authenticated principal under the seal and check it; `clientInfo` is no principal, anybody can claim it.",
)
EXPIRES = Check(
    "state-expires",
    "A state is refused once its time is over",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Put an expiry of minutes under the seal and check it.",
)
SIZE = Check(
    "state-is-small",
    "A state has no more than 16 KiB",
    Level.WARNING,
    SERVER_REQUIREMENTS,
    "Keep only what can't be computed again from the arguments, or keep it in a store and send a handle.",
)
CHECKS = (FLIPPED, CUT, FORGED, LEGIBLE, OTHER_ARGUMENTS, OTHER_TOOL, OTHER_USER, EXPIRES, SIZE)

LARGEST_BYTES = 16 * 1024
Forgeries = Callable[[str], Iterator[tuple[str, str]]]


async def check_states(subject: Subject) -> list[Verdict]:
    """All of `CHECKS`."""
    state = subject.first.state
    if state is None:
        return [subject.skipped(check, "it sends no requestState") for check in CHECKS]
    return [
        await _tampered(subject, FLIPPED, forging.flipped),
        await _tampered(subject, CUT, forging.cut),
        await _forged(subject, state),
        _legible(subject, state),
        await _other_arguments(subject),
        await _other_tool(subject),
        await _other_user(subject),
        await _expires(subject),
        _size(subject, state),
    ]


async def _tampered(subject: Subject, check: Check, forgeries: Forgeries) -> Verdict:
    """Retries with one forgery after the other, until one of them is not refused."""
    begun = await subject.caller.begun()
    verdict = subject.skipped(check, "a new call sends no requestState any more")
    if begun.first.state is None:
        return verdict
    for state, what in forgeries(begun.first.state):
        reply = await subject.caller.retry(state, begun.answers or None)
        found = taken(reply, begun.first, subject.honest)
        if found is Taken.UNCLEAR:
            return subject.unclear(check, reply)
        verdict = subject.decided(check, reply, passed=found is Taken.REFUSED, note=what)
        if verdict.status is Status.FAILED:
            break
    return verdict


async def _forged(subject: Subject, state: str) -> Verdict:
    if forging.legible(state) is None:
        return subject.skipped(FORGED, "nothing in the state can be read")
    return await _tampered(subject, FORGED, forging.forged)


def _legible(subject: Subject, state: str) -> Verdict:
    return subject.decided(LEGIBLE, subject.first, passed=forging.legible(state) is None)


async def _other_arguments(subject: Subject) -> Verdict:
    caller = subject.caller
    arguments = _changed(caller.tool.arguments, caller.tool.schema)
    if arguments is None:
        return subject.skipped(
            OTHER_ARGUMENTS, "it is called with no text, number or boolean that could be another"
        )
    begun = await caller.begun()
    reply = await caller.retry(begun.first.state, begun.answers or None, arguments=arguments)
    return subject.refused(OTHER_ARGUMENTS, reply)


def _changed(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments with one of them changed, in a way that its schema is likely to take."""
    properties = schema.get("properties", {})
    for name, value in arguments.items():
        known = properties.get(name, {}) if isinstance(properties, Mapping) else {}
        others = [item for item in known.get("enum", []) if item != value]
        if others:
            return {**arguments, name: others[0]}
        if "enum" in known or "const" in known or "$ref" in known or "format" in known:
            continue
        if isinstance(value, bool):
            return {**arguments, name: not value}
        if isinstance(value, int | float):
            return {**arguments, name: value + 1}
        if isinstance(value, str):
            return {**arguments, name: f"{value}x"}
        if isinstance(value, list) and value and isinstance(value[0], str):
            return {**arguments, name: [f"{value[0]}x", *value[1:]]}
    return None


async def _other_tool(subject: Subject) -> Verdict:
    if not subject.others:
        return subject.skipped(OTHER_TOOL, "name a second tool that asks (--tool)")
    other = subject.others[0]
    mine, theirs = await subject.caller.begun(), await other.begun()
    honest = await other.retry(theirs.first.state, theirs.answers or None)
    theirs = await other.begun()
    reply = await other.retry(mine.first.state, {**mine.answers, **theirs.answers} or None)
    found = taken(reply, theirs.first, honest)
    if found is Taken.UNCLEAR:
        return subject.unclear(OTHER_TOOL, reply)
    note = f"sent with the state of {subject.name}"
    return subject.decided(OTHER_TOOL, reply, passed=found is Taken.REFUSED, note=note)


async def _other_user(subject: Subject) -> Verdict:
    if subject.other_user is None:
        return subject.skipped(OTHER_USER, "give the credentials of a second user (--other-header)")
    begun = await subject.caller.begun()
    reply = await subject.caller.retry(begun.first.state, begun.answers or None, wire=subject.other_user)
    return subject.refused(OTHER_USER, reply)


async def _expires(subject: Subject) -> Verdict:
    if subject.wait is None:
        return subject.skipped(EXPIRES, "say how long a state lasts (--wait SECONDS)")
    begun = await subject.caller.begun()
    await sleep(subject.wait)
    reply = await subject.caller.retry(begun.first.state, begun.answers or None)
    found = taken(reply, begun.first, subject.honest)
    if found is Taken.UNCLEAR:
        return subject.unclear(EXPIRES, reply)
    return subject.decided(
        EXPIRES, reply, passed=found is Taken.REFUSED, note=f"sent after {subject.wait:g} s"
    )


def _size(subject: Subject, state: str) -> Verdict:
    sizes = [len(reply.state or "") for reply in (subject.first, subject.honest)]
    return subject.decided(
        SIZE, subject.first, passed=max(sizes) <= LARGEST_BYTES, note=f"{max(sizes)} bytes at most"
    )
