"""Which questions of a flow have been answered, and by what.

An answer belongs to a question: to the digest of what the client was shown, and to its place among equal ones. It is
never delivered by position alone, and never to another question.
"""

from __future__ import annotations

import copy
import logging
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from mrtr_adapter.engine import answers
from mrtr_adapter.engine.journal import Answered, Journal
from mrtr_adapter.engine.suspension import malformed_answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mrtr_adapter.engine.question import Question

logger = logging.getLogger("mrtr")


class Identity(NamedTuple):
    """What an answer belongs to."""

    digest: str
    occurrence: int
    """How many equal questions the handler had asked before, in this run."""


class Ledger:
    """The answers of earlier rounds, and those that came with this one.

    Args:
        journal: of the round before; None in the first round.
        responses: what came back under the keys that were asked.
    """

    def __init__(self, journal: Journal | None, responses: Mapping[str, dict[str, Any]]) -> None:
        self.deliveries = 0
        self.taken = 0
        """How many answers have been delivered for the first time."""
        self._asked: Counter[str] = Counter()
        self._questions: dict[str, Question] = {}
        self._recorded: dict[Identity, Answered] = {}
        self._fresh: dict[Identity, tuple[str, dict[str, Any]]] = {}
        self._reached: set[Identity] = set()
        if journal is None:
            return
        self._recorded = {Identity(entry.digest, entry.occurrence): entry for entry in journal.answers}
        for key, asked in journal.asked.items():
            identity = Identity(asked.digest, asked.occurrence)
            # Recorded beats re-sent: the first answer to a question stands.
            if key in responses and identity not in self._recorded:
                self._fresh[identity] = (key, responses[key])

    def ask(self, question: Question) -> Identity:
        """The identity of a question that the handler asks now."""
        identity = Identity(question.digest, self._asked[question.digest])
        self._asked[question.digest] += 1
        self._questions[question.digest] = question
        self._reached.add(identity)
        return identity

    def answer(self, question: Question, identity: Identity) -> dict[str, Any] | None:
        """The answer to a question, in a copy of its own, or None: there is none, or it breaks the schema.

        Raises:
            MCPError: what came back for it is no answer at all.
        """
        recorded = self._recorded.get(identity)
        if recorded is None or not recorded.checked:
            recorded = self._check(question, identity, recorded)
        if recorded is None:
            return None
        self.deliveries += 1
        return copy.deepcopy(recorded.answer)

    def _check(self, question: Question, identity: Identity, unchecked: Answered | None) -> Answered | None:
        key, raw = self._fresh.get(identity, ("", unchecked.answer if unchecked else None))
        if raw is None:
            return None
        try:
            fits = answers.accepted(question, raw)
        except answers.Malformed as malformed:
            raise malformed_answer(key, str(malformed)) from None
        if not fits:
            logger.info("the answer to %r breaks the requested schema; asking again", key or question.kind)
            self._recorded.pop(identity, None)
            return None
        self.taken += 1
        entry = Answered(digest=identity.digest, occurrence=identity.occurrence, answer=raw)
        self._recorded[identity] = entry
        return entry

    def unreached(self) -> dict[Identity, tuple[str, dict[str, Any]]]:
        """This round's answers, with their keys, whose question the handler has not asked again."""
        return {identity: entry for identity, entry in self._fresh.items() if identity not in self._reached}

    def refusals(self) -> bool:
        """Whether the client has declined or cancelled anything that it was just asked."""
        return any(answer.get("action") in ("decline", "cancel") for _, answer in self._fresh.values())

    def texts(self) -> dict[str, str]:
        """What the questions of this run say, by digest."""
        return {digest: question.text for digest, question in self._questions.items()}

    def entries(self, *, keep_unreached: bool) -> list[Answered]:
        """What the next journal records: an answer outlives a round that did not come to its question."""
        kept = list(self._recorded.values())
        if keep_unreached:
            kept += [
                Answered(digest=identity.digest, occurrence=identity.occurrence, answer=raw, checked=False)
                for identity, (_, raw) in self.unreached().items()
            ]
        return kept
