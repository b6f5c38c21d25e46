"""A flow: one logical call over all its rounds, as one round of it sees it.

The handler's side of a flow is `ask`, `shed` and `notify`. What a handler asks is kept here, out of its reach, and
outranks whatever it then returns or raises.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from mcp.shared.exceptions import MCPError

from mrtr_adapter.engine import capabilities
from mrtr_adapter.engine.bounds import sealable
from mrtr_adapter.engine.commits import Commits
from mrtr_adapter.engine.effects import Effects
from mrtr_adapter.engine.enclosed import enclosing
from mrtr_adapter.engine.halt import Halt
from mrtr_adapter.engine.journal import Asked, Inner, Journal
from mrtr_adapter.engine.memory import Memory
from mrtr_adapter.engine.question import FORM, Question
from mrtr_adapter.engine.site import Site
from mrtr_adapter.engine.suspension import cannot_ask, diverged, missing_capability, misused
from mrtr_adapter.engine.terms import Terms

if TYPE_CHECKING:
    from mrtr_adapter.custody.vault import Vault
    from mrtr_adapter.engine.entropy import Stream

logger = logging.getLogger("mrtr")

current: ContextVar[Flow | None] = ContextVar("mrtr_flow", default=None)
"""The flow whose handler is running here; also in the tasks and threads that the handler starts."""

MAX_CHANGES = 2
"""How often in a row a handler may ask something else than what has just been answered."""

FindSite = Callable[[], Site]


@dataclass(frozen=True)
class Round:
    """A round that has ended: its questions (none, if it shed load), and the plaintext state to come back with."""

    requests: dict[str, dict[str, Any]]
    state: str


class Opened(NamedTuple):
    """A question that this round asks: it, and how many equal ones came before it."""

    question: Question
    occurrence: int


def _no_trace() -> None:
    """Nobody records this flow."""


class Flow:
    """One round of a flow: what is known from earlier rounds, and what this one asks.

    Args:
        method: what is being called: `tools/call`, `prompts/get` or `resources/read`,
        target: and the tool or prompt, or the resource's URI.
        terms: the bounds.
        declared: gives the client's capabilities as on the wire; called only when something is asked.
        journal: of the round before; None in the first round.
        responses: this round's `inputResponses`, for keys that `journal` asked for.
        fingerprint: gives the handler's fingerprint; called only when the round ends with a question.
        trace: gives the span of this round as a W3C `traceparent`; called only when a first round ends with one.
        vault: keeps what the flow does once; None if the server has no store.
    """

    # What few calls need stands here until they do: every call makes a flow.
    vault: Vault | None = None
    stream: Stream | None = None
    reseeded = False
    commits: Commits | None = None
    continued = False
    """Whether this round goes on where the one before has stopped, as a gateway's does, and runs nothing again."""
    _refusal: MCPError | None = None
    _raised = False
    _site: Site | None = None
    _effects: Effects | None = None

    def __init__(
        self,
        method: str,
        target: str,
        terms: Terms,
        declared: Callable[[], Mapping[str, Any]],
        journal: Journal | None = None,
        responses: Mapping[str, dict[str, Any]] | None = None,
        fingerprint: Callable[[], str] = str,
        vault: Vault | None = None,
        trace: Callable[[], str | None] = _no_trace,
    ) -> None:
        self.method = method
        self.target = target
        self.terms = terms
        self.halt = Halt()
        self.vault = vault
        self.memory = Memory(journal, responses or _NOTHING, terms.lifetime)
        self._declared = declared
        self._fingerprint = fingerprint
        self._trace = trace
        self._open: dict[str, Opened] = {}

    @property
    def name(self) -> str:
        """What is being called, for logs and errors, such as `tools/call delete_files`."""
        return f"{self.method} {self.target}"

    @property
    def id(self) -> str:
        """The name of the flow, the same in all its rounds."""
        return self.memory.id

    @property
    def refused(self) -> bool:
        """Whether the adapter itself has ended the call with an error."""
        return self._refusal is not None

    @property
    def effects(self) -> Effects:
        """What the handler does to the world in this round."""
        if self._effects is None:
            self._effects = Effects()
        return self._effects

    @property
    def effect_count(self) -> int:
        """How many effects the handler has had in this round, as far as they were seen."""
        return len(self._effects.seen) if self._effects else 0

    # -- the handler's side ------------------------------------------------------------------------------------

    async def ask(self, method: str, params: Mapping[str, Any] | None, site: FindSite) -> dict[str, Any]:
        """The client's answer to this request, once there is one; until then the round ends here.

        Every call gets a copy of its own. The same question asked again is another question.
        """
        await self.check()
        enclosure = enclosing.get()
        if enclosure is not None:
            await self.refuse(
                misused(f"{self.name} asks inside {enclosure}: ask before it, and hand the answer in"), site()
            )
        question = Question.of(method, params or {})
        identity = self.memory.ledger.ask(question)
        try:
            answer = self.memory.ledger.answer(question, identity)
        except MCPError as malformed:
            await self.refuse(malformed, site())
        if answer is not None:
            return answer
        where = site()
        await self._refuse_shared(where)
        await self.require(question, where)
        self._open_one(question, identity.occurrence, where)
        await self._stop(where)

    async def require(self, question: Question, site: Site) -> None:
        """Go on only if the client declared what `question` needs."""
        lack = capabilities.missing(question, self._declared())
        if lack is None:
            return
        error = missing_capability(*lack)
        if self.terms.on_missing_capability == "raise":
            raise error
        logger.warning("%s asks for %s at %s, which the client did not declare", self.name, lack[0], site)
        await self.refuse(error, site)

    async def shed(self, value: Any, site: FindSite) -> Any:
        """End the round with state and no question; in the next one, give back what was shed."""
        await self.check()
        shed = self.memory.shed
        if shed.is_recorded:
            return shed.take()
        shed.add(value)
        self.halt.call()
        await self._stop(site())

    async def notify(
        self, method: str, params: Mapping[str, Any], send: Callable[[], Awaitable[None]]
    ) -> None:
        """Send this notification, unless an earlier round has sent it."""
        await self.check()
        with self.memory.notifications.telling(method, params) as is_new:
            if is_new:
                await send()

    async def check(self) -> None:
        """Go on only while the round lasts.

        Raises:
            Suspension: it has ended with a question.
            MCPError: the call has ended with a result.
        """
        if self.halt.called:
            await self.halt.again(started=current.get() is self)
        if self.halt.over:
            raise cannot_ask(
                f"{self.name} went on after the call had ended: from there, a background task can't ask the client, "
                "nor record anything"
            )

    async def refuse(self, error: MCPError, site: Site) -> NoReturn:
        """End the call with this error, whatever the handler makes of it."""
        self._refusal = self._refusal or error
        self.halt.call()
        await self._stop(site)

    async def _stop(self, site: Site) -> NoReturn:
        await self.halt.stop(in_root=site.in_root, started=current.get() is self)

    async def _refuse_shared(self, site: Site) -> None:
        """A worker of the server's can't be stopped for one call's sake, so it can't ask for one either.

        Raises:
            MCPError: into the worker; the call itself ends with the same error.
        """
        if site.in_root or not self.halt.is_shared(started=current.get() is self):
            return
        error = cannot_ask(
            f"{self.name} asks at {site} from a task that the server shares between calls: on 2026-07-28 that can't "
            "wait for an answer. Let the handler ask, and hand the answer to the worker"
        )
        logger.error("%s", error.message)
        self._refusal = self._refusal or error
        self.halt.call()
        raise error

    def _open_one(self, question: Question, occurrence: int, site: Site) -> None:
        label = site.name or _LABELS.get(question.kind, question.kind)
        key, number = label, 1
        while key in self._open:
            number += 1
            key = f"{label}_{number}"
        self._open[key] = Opened(question, occurrence)
        self._site = self._site or site
        self.halt.ask()

    # -- error -32042 ------------------------------------------------------------------------------------------

    def open_raised(self, questions: list[Question]) -> None:
        """End the round with URL requests that the handler raised. It then runs again and looks for itself, so
        their answers are not recorded.

        Raises:
            MCPError: the client did not declare URL mode.
        """
        for question in questions:
            lack = capabilities.missing(question, self._declared())
            if lack is not None:
                raise missing_capability(*lack)
            self._open_one(question, 0, _RAISED)
        self._raised = True
        self.halt.call()

    # -- the end of the round ----------------------------------------------------------------------------------

    def round_end(self) -> Round:
        """What the client gets, once the round has stopped.

        Raises:
            MCPError: the call is refused, or the flow is past one of its bounds.
        """
        if self._refusal is not None:
            raise self._refusal
        state = self._sealable()
        logger.info(
            "flow %s: round %d of %s replayed %d answers and asks %s",
            self.id,
            self.memory.round,
            self.name,
            self.memory.ledger.deliveries,
            ", ".join(self._open) or "nothing",
        )
        if self._effects is not None:
            self._effects.report(self.name, self.terms.on_effect.of(self.target))
        return Round({key: opened.question.wire for key, opened in self._open.items()}, state)

    def single_use(self, *, registered: bool) -> str:
        """The plaintext state once more, to be redeemed once only."""
        self.memory.single, self.memory.registered = True, registered
        return self._sealable()

    def carry(self, inner_state: str | None) -> str:
        """The plaintext state around a state of the handler's own, which goes out with questions of its own.

        Raises:
            MCPError: the flow is past one of its bounds.
        """
        self.memory.inner = Inner(state=inner_state, open=True)
        return self._sealable()

    def _sealable(self) -> str:
        """The next journal as text, within the bounds."""
        changes = self._changes()
        if self.memory.before is None:
            self.memory.trace = self._trace()
        asked = {
            key: Asked(digest=question.digest, occurrence=occurrence, text=question.text if changes else None)
            for key, (question, occurrence) in self._open.items()
        }
        journal = self.memory.next_journal(
            asked, changes=changes, raised=self._raised, handler=self._fingerprint()
        )
        return sealable(journal, self.terms, self.name, self.memory.ledger.texts())

    def _changes(self) -> int:
        """How often in a row the handler has now left an answer lying and asked something else.

        Raises:
            MCPError: too often.
        """
        before = self.memory.before
        unreached = self.memory.ledger.unreached()
        if before is None or before.raised or not unreached or not self._open:
            return 0
        if before.changes < MAX_CHANGES:
            return before.changes + 1
        was = next((before.asked[key].text for key, _ in unreached.values()), None)
        now = next(iter(self._open.values())).question.text
        raise diverged(
            f"{self.name} asks a different question each time it is replayed ({self._site}), so its answer can't be "
            "delivered; `data` has the two. Pin what changes with memo() or now()",
            was=was,
            now=now,
        )


_NOTHING: Mapping[str, dict[str, Any]] = MappingProxyType({})
_LABELS = {FORM: "answer"}
_RAISED = Site("<raised>", 0)
