"""A flow: one logical call over all its rounds, as one round of it sees it.

The handler's side of a flow is `ask`, `shed` and `notify`. What it records (the open questions, a refusal) is kept
here, out of the handler's reach, and outranks whatever the handler then returns or raises.
"""

from __future__ import annotations

import asyncio
import base64
import copy
import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.lowlevel
import sniffio
from anyio import CancelScope

from mrtr_adapter import answers, capabilities
from mrtr_adapter.journal import Answered, Asked, Inner, Journal, new_id
from mrtr_adapter.question import FORM, Question, digest
from mrtr_adapter.site import Site
from mrtr_adapter.suspension import (
    Suspension,
    bound_exceeded,
    cannot_ask,
    diverged,
    malformed_answer,
    missing_capability,
)

logger = logging.getLogger("mrtr")

current: ContextVar[Flow | None] = ContextVar("mrtr_flow", default=None)
"""The flow whose handler is running here; also in the tasks and threads that the handler starts."""

MAX_CHANGES = 2
"""How often in a row a handler may ask something else than what has just been answered."""

SETTLE_SECONDS = 0.025
"""How long other tasks of a handler get to reach their asks, after the last one that did."""

_SETTLE_TURNS = 8
_CANCEL_PASSES = 10
_MAX_SENT = 256
"""Notifications that are remembered as sent; later ones go out again with each replay."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The bounds that flows run under, and what to do at one. Times are seconds, sizes bytes of plaintext."""

    lifetime: float = 3600.0
    max_rounds: int = 8
    max_state_bytes: int = 64 * 1024
    on_missing_capability: str = "refuse"


@dataclass(frozen=True)
class Round:
    """A round that ends with questions, or with none (load shedding), and the journal to come back with."""

    requests: dict[str, dict[str, Any]]
    journal: Journal


class Flow:
    """One round of a flow: what is known from earlier rounds, and what this one asks.

    Args:
        name: what is being called, for logs and errors, such as `tools/call delete_files`.
        terms: the bounds.
        declared: gives the client's capabilities as on the wire; called only when something is asked.
        journal: of the round before; None in the first round.
        responses: this round's `inputResponses`, already known to be a map of objects.
        fingerprint: gives the handler's fingerprint; called only when the round ends with a question.
    """

    __slots__ = (
        "_asked",
        "_decided",
        "_declared",
        "_deliveries",
        "_fingerprint",
        "_fresh",
        "_invalid",
        "_deadline",
        "_id",
        "_recorded",
        "_rounds",
        "_scope",
        "_sent",
        "_shed",
        "_sheds",
        "_to_skip",
        "ended",
        "inner",
        "journal",
        "name",
        "open",
        "raised",
        "refusal",
        "seed",
        "site",
        "stopped",
        "terms",
    )

    def __init__(
        self,
        name: str,
        terms: Terms,
        declared: Callable[[], Mapping[str, Any]],
        journal: Journal | None = None,
        responses: Mapping[str, Any] | None = None,
        fingerprint: Callable[[], str] = str,
    ) -> None:
        self.name = name
        self.terms = terms
        self.journal = journal
        self.open: dict[str, tuple[Question, int]] = {}
        self.refusal: Exception | None = None
        self.raised = False
        self.stopped = False
        self.ended = False
        self.site: Site | None = None
        self.seed: str | None = journal.seed if journal else None
        self.inner: Inner | None = journal.inner if journal else None
        self._id: str | None = journal.flow if journal else None
        self._rounds = journal.round if journal else 0
        self._deadline = journal.deadline if journal else None
        self._declared = declared
        self._fingerprint = fingerprint
        self._scope: CancelScope | None = None
        self._decided: anyio.Event | None = None
        self._asked: Counter[str] = Counter()
        self._deliveries = 0
        self._invalid: set[tuple[str, int]] = set()
        self._sent = journal.sent if journal else ""
        self._to_skip: Counter[str] | None = None
        self._shed: list[Any] = list(journal.shed) if journal else []
        self._sheds = 0
        self._recorded: dict[tuple[str, int], Answered] = {}
        self._fresh: dict[tuple[str, int], tuple[str, dict[str, Any]]] = {}
        if journal is not None:
            self._recorded = {(entry.digest, entry.occurrence): entry for entry in journal.answers}
            self._take(journal, responses or {})

    def _take(self, journal: Journal, responses: Mapping[str, Any]) -> None:
        """An answer counts only if the state that came back was waiting for it, and was not answered already."""
        for key, asked in journal.asked.items():
            identity = (asked.digest, asked.occurrence)
            if key in responses and identity not in self._recorded:
                self._fresh[identity] = (key, responses[key])

    @property
    def id(self) -> str:
        """The name of the flow, the same in all its rounds."""
        if self._id is None:
            self._id = new_id()
        return self._id

    @property
    def round(self) -> int:
        """Which round this is, from 1."""
        return self._rounds + 1

    @property
    def replayed(self) -> int:
        """How many answers have been delivered to the handler in this round."""
        return self._deliveries

    def enter(self, scope: CancelScope) -> None:
        self._scope = scope

    def leave(self) -> None:
        """The handler has returned or raised. What it left open is decided now, whatever its tasks still do."""
        self.ended = True
        self._decide()

    # -- the handler's side ------------------------------------------------------------------------------------

    async def ask(self, method: str, params: Mapping[str, Any] | None, site: Callable[[], Site]) -> dict[str, Any]:
        """The client's answer to this request, once there is one; otherwise the round ends here.

        Every call gets a copy of its own. The same question asked again is another question.
        """
        await self.check()
        question = Question.of(method, dict(params or {}))
        identity = (question.digest, self._asked[question.digest])
        self._asked[question.digest] += 1
        answer = self._answer(question, identity)
        if answer is not None:
            self._deliveries += 1
            return answer
        where = site()
        self._require(question, where)
        if self.refusal is None:
            self._open(question, identity[1], where)
        await self._suspend(where.in_root)

    async def require(self, question: Question, site: Callable[[], Site]) -> None:
        """Go on only if the client declared what `question` needs."""
        where = site()
        self._require(question, where)
        if self.refusal is not None:
            await self._suspend(where.in_root)

    async def shed(self, value: Any, site: Callable[[], Site]) -> Any:
        """End the round with state and no question; in the next one, give back what was shed."""
        await self.check()
        self._sheds += 1
        if self._sheds <= len(self._shed):
            return copy.deepcopy(self._shed[self._sheds - 1])
        self._shed.append(copy.deepcopy(value))
        self.stopped = True
        await self._suspend(site().in_root)

    def notify(self, method: str, params: Mapping[str, Any]) -> bool:
        """Whether this notification is to go out: False if an earlier round has sent it.

        Raises:
            Suspension: the round has ended.
        """
        self.check_now()
        mark = _mark(method, params)
        if self._to_skip is None:
            self._to_skip = Counter(self._sent[at : at + 4] for at in range(0, len(self._sent), 4))
        if self._to_skip[mark]:
            self._to_skip[mark] -= 1
            return False
        if len(self._sent) < 4 * _MAX_SENT:
            self._sent += mark
        return True

    async def check(self) -> None:
        """Go on only while the round lasts.

        Raises:
            Suspension: the round has ended, with a question.
            MCPError: it has ended, with a result.
        """
        if self.stopped:
            await self._halt()
        self.check_now()

    def check_now(self) -> None:
        """As `check`, for code that cannot wait."""
        if self.stopped:
            raise Suspension
        if self.ended:
            raise cannot_ask(
                f"{self.name} used its session after its call had ended: a background task can't ask the client"
            )

    # -- asking ------------------------------------------------------------------------------------------------

    def _answer(self, question: Question, identity: tuple[str, int]) -> dict[str, Any] | None:
        recorded = self._recorded.get(identity)
        if recorded is not None and recorded.checked:
            return copy.deepcopy(recorded.answer)
        key, raw = self._fresh.get(identity, (identity[0], recorded.answer if recorded else None))
        if raw is None:
            return None
        try:
            if answers.accepted(question, raw):
                self._recorded[identity] = Answered(digest=identity[0], occurrence=identity[1], answer=raw)
                return copy.deepcopy(raw)
        except answers.Malformed as malformed:
            self.refuse(malformed_answer(key, str(malformed)))
            return None
        logger.info("%s: the answer to %r breaks the requested schema; asking again", self.name, key)
        self._invalid.add(identity)
        self._recorded.pop(identity, None)
        return None

    def _require(self, question: Question, site: Site) -> None:
        lack = capabilities.missing(question, self._declared())
        if lack is None or self.refusal is not None:
            return
        what, required = lack
        if self.terms.on_missing_capability == "raise":
            raise missing_capability(what, required)
        logger.warning("%s asks for %s at %s, which the client did not declare", self.name, what, site)
        self.refuse(missing_capability(what, required))

    def refuse(self, error: Exception) -> None:
        """End the call with this error, whatever the handler makes of it."""
        if self.refusal is None:
            self.refusal = error
        self.stopped = True

    def _open(self, question: Question, occurrence: int, site: Site) -> None:
        label = site.name or _LABELS.get(question.kind, question.kind)
        key, number = label, 1
        while key in self.open:
            number += 1
            key = f"{label}_{number}"
        self.open[key] = (question, occurrence)
        self.site = self.site or site

    def open_raised(self, questions: list[Question]) -> None:
        """End the round with URL requests that the handler raised as error -32042.

        Their answers are not recorded: the handler runs again and looks for itself.
        """
        for question in questions:
            self._require(question, _NOWHERE)
            self._open(question, 0, _NOWHERE)
        self.raised = True
        self.stopped = True

    @property
    def urls_refused(self) -> bool:
        """Whether the client has just refused a URL that the handler had raised."""
        return bool(
            self.journal
            and self.journal.raised
            and any(answer.get("action") in ("decline", "cancel") for _, answer in self._fresh.values())
        )

    # -- stopping ----------------------------------------------------------------------------------------------

    async def _suspend(self, in_root: bool) -> Any:
        """Let the handler's other tasks reach their asks, then stop all of it. Never returns."""
        if self._decided is None:
            self._decided = anyio.Event()
            try:
                if self.refusal is None:
                    await self._settle(in_root)
            finally:
                self._decide()
        else:
            await self._decided.wait()
        await self._halt()

    async def _settle(self, in_root: bool) -> None:
        if in_root:
            # Tasks that were started but have not run yet get their turn.
            for _ in range(2):
                await anyio.lowlevel.checkpoint()
            return
        for _ in range(_SETTLE_TURNS):
            seen = len(self.open)
            await anyio.sleep(SETTLE_SECONDS)
            if len(self.open) == seen or self.ended:
                return

    def _decide(self) -> None:
        if self.open or self.refusal is not None:
            self.stopped = True
        if self.stopped and not self.ended and self._scope is not None:
            self._scope.cancel()
        if self._decided is not None:
            self._decided.set()

    async def _halt(self) -> Any:
        """Stop the caller: by the cancellation of its scope, or else by raising `Suspension`. Never returns."""
        if not self.ended:
            for _ in range(_CANCEL_PASSES):
                await anyio.lowlevel.checkpoint()
        if sniffio.current_async_library() == "asyncio":
            # A task that nobody awaits is not to be reported as failed.
            task = asyncio.current_task()
            if task is not None:
                task.add_done_callback(_retrieve)
        raise Suspension

    # -- the end of the round ----------------------------------------------------------------------------------

    def round_end(self) -> Round:
        """What the client gets, when the round has stopped.

        Raises:
            MCPError: the call is refused, or the flow is past one of its bounds.
        """
        if self.refusal is not None:
            raise self.refusal
        journal = self._next_journal()
        self._bound(journal)
        logger.info(
            "flow %s of %s: round %d replayed %d answers and asks %s",
            journal.flow,
            self.name,
            journal.round,
            self._deliveries,
            ", ".join(self.open) or "nothing",
        )
        return Round({key: question.wire for key, (question, _) in self.open.items()}, journal)

    def carry(self, inner_state: str | None) -> Journal:
        """The journal around a state of the handler's own, which goes out with questions of its own."""
        self.inner = Inner(state=inner_state, open=True)
        journal = self._next_journal()
        self._bound(journal)
        return journal

    @property
    def touched(self) -> bool:
        """Whether this flow has anything that a later round must know."""
        return self.journal is not None or bool(self._shed)

    def _next_journal(self) -> Journal:
        changes = self._changes()
        asked = {
            key: Asked(
                digest=question.digest, occurrence=occurrence, text=question.text if changes else None
            )
            for key, (question, occurrence) in self.open.items()
        }
        return Journal(
            flow=self.id,
            round=self.round,
            deadline=self._deadline or int(time.time() + self.terms.lifetime),
            nonce=new_id(),
            handler=self._fingerprint(),
            answers=self._entries(),
            asked=asked,
            changes=changes,
            raised=self.raised,
            sent=self._sent,
            shed=self._shed,
            seed=self.seed,
            inner=self.inner,
        )

    def _entries(self) -> list[Answered]:
        entries = dict(self._recorded)
        for identity, (_, raw) in self._unreached().items():
            entries[identity] = Answered(
                digest=identity[0], occurrence=identity[1], answer=raw, checked=False
            )
        return list(entries.values())

    def _unreached(self) -> dict[tuple[str, int], tuple[str, dict[str, Any]]]:
        """Answers of this round whose question the handler has not asked again."""
        if self.journal is not None and self.journal.raised:
            return {}
        known = self._recorded.keys() | self._invalid
        return {identity: entry for identity, entry in self._fresh.items() if identity not in known}

    def _changes(self) -> int:
        unreached = self._unreached()
        if self.journal is None or not unreached or not self.open:
            return 0
        changes = self.journal.changes + 1
        if changes > MAX_CHANGES:
            raise diverged(self._difference(self.journal, [key for key, _ in unreached.values()]))
        return changes

    def _difference(self, before: Journal, unreached: list[str]) -> str:
        was = next((before.asked[key].text for key in unreached if before.asked[key].text), None)
        now = next(iter(self.open.values()))[0].text
        return (
            f"{self.name} asks a different question each time it is replayed ({self.site}): {was!r} became {now!r}. "
            "Its answer can never be delivered. Pin what changes with memo() or now()."
        )

    def _bound(self, journal: Journal) -> None:
        if journal.round > self.terms.max_rounds:
            raise bound_exceeded(
                f"{self.name} needs more rounds of questions than the {self.terms.max_rounds} that one call may take "
                "(max_rounds)"
            )
        size = len(journal.seal_text())
        if size <= self.terms.max_state_bytes:
            return
        entries = {f"answer to {entry.digest}": len(entry.model_dump_json()) for entry in journal.answers}
        largest = max(entries, key=entries.__getitem__, default="no answer")
        raise bound_exceeded(
            f"{self.name} needs {size} bytes of state; {self.terms.max_state_bytes} are allowed (max_state_bytes). "
            f"The largest entry is the {largest}, {entries.get(largest, 0)} bytes"
        )


_LABELS = {FORM: "answer"}
_NOWHERE = Site("<raised>", 0)


def _mark(method: str, params: Mapping[str, Any]) -> str:
    """Four characters that tell one notification from another; its progress token is the request's, so left out."""
    shown = {name: value for name, value in params.items() if name not in ("progressToken", "_meta")}
    return base64.urlsafe_b64encode(hashlib.sha256(digest(method, shown).encode()).digest()[:3]).decode()


def _retrieve(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()

