"""What an old server asks before there is a call, such as the client's roots right after it has started.

A client of 2026-07-28 can be asked in a call only, so the next one begins with it: its first round ends with these
questions, and only when they are answered is the call itself sent to the old server. Until then nothing has been done,
and nobody's permission is needed to go on in any session.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.journal import Journal, Recorded
from mrtr_adapter.engine.question import LIST_ROOTS
from mrtr_adapter.gateway.link import Message
from mrtr_adapter.gateway.naming import site_of
from mrtr_adapter.gateway.session import Session

_NAME = "early"
"""Under this a flow's journal has what was asked before the call, and whether the call was begun since."""
_TAKE_IN_SECONDS = 0.1
"""What a server gets to look at the answers before the call comes, as it would have on an older connection."""


def has_begun(journal: Journal | None) -> bool:
    """Whether the old server was sent the call in one of the rounds that led to this journal."""
    if journal is None:
        return False
    recorded = journal.kept.get(_NAME)
    return recorded is None or bool(recorded.value["begun"])


async def ask_early(flow: Flow, session: Session) -> None:
    """Have the client answer what the old server has asked on this session, and what was asked so before in this
    flow. To be called in every round, before anything else asks.
    """
    recorded = flow.memory.kept.entries.get(_NAME)
    asked: list[Message] = list(recorded.value["asked"]) if recorded else []
    begun = has_begun(flow.memory.before)
    waited = bool(session.waiting)
    for request in asked:
        await _pass_on(flow, session, request)
    while session.waiting:
        waiting = session.waiting[0]
        asked.append({name: waiting[name] for name in ("method", "params") if name in waiting})
        flow.memory.kept.entries[_NAME] = Recorded(value={"asked": asked, "begun": begun})
        await _pass_on(flow, session, asked[-1])
    if asked:
        flow.memory.kept.entries[_NAME] = Recorded(value={"asked": asked, "begun": True})
    if waited:
        await anyio.sleep(_TAKE_IN_SECONDS)


async def answer_waiting(session: Session, request: Message, answer: Mapping[str, Any]) -> None:
    """Answer what the old server has asked outside of a call, if it is the same as this `request`."""
    same = [waiting for waiting in session.waiting if _is_same(waiting, request)]
    for waiting in same:
        session.waiting.remove(waiting)
        await session.answer(waiting, answer)


async def _pass_on(flow: Flow, session: Session, request: Message) -> None:
    answer = await flow.ask(request["method"], request.get("params"), partial(site_of, request))
    await answer_waiting(session, request, answer)


def _is_same(one: Message, other: Message) -> bool:
    if one["method"] != other["method"]:
        return False
    return one["method"] == LIST_ROOTS or one.get("params") == other.get("params")
