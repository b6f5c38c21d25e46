"""The folder of one run, and what happens in it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mrtr_adapter.engine.question import Question
from mrtr_adapter.verify import wire
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.hiding import Hiding
from mrtr_adapter.verify.logs import Logs
from mrtr_adapter.verify.processes import Answering, Broken, TimedOut, perform
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import Done, Outcome, Run
from mrtr_adapter.verify.scratch import Source

_ENVELOPE = ("_meta", "resultType", "ttlMs", "cacheScope")
"""Parts of a result that 2026-07-28 adds to it."""
_SCHEMA = ("type", "properties", "required")
"""Parts of a form that 2026-07-28 has left."""


@dataclass(frozen=True)
class Setting:
    """What holds for all runs of a session."""

    seconds: float
    """How long one process may take, apart from waiting for a person."""
    volatile: Sequence[re.Pattern[str]] = ()
    """Text that is not compared."""
    logs: Sequence[Path] = ()
    """Files whose new lines are effects."""
    trace: bool = False
    """Whether native runs tell which lines they have come to."""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(48), repr=False)
    """Seals `requestState`."""


class Stage:
    """Runs the processes of one run, and gathers what they do."""

    def __init__(self, source: Source, scratch: Path, setting: Setting) -> None:
        self.place = source.copy(scratch)
        self._setting = setting
        self._hiding = Hiding(self.place, setting.volatile)
        self._logs = Logs(setting.logs, source, self.place)
        self._effects: list[tuple[wire.Effect, int]] = []
        self._lines: dict[str, list[tuple[str, int]]] = {}

    def perform(
        self,
        run: Run,
        kind: Literal["native", "round"],
        case: Case,
        params: Mapping[str, Any],
        declared: Mapping[str, Any],
        answering: Answering | None = None,
    ) -> wire.Done | None:
        """One process of the run; None if it did not come to an end, which the run then tells.

        Raises:
            CannotVerify: the server can't be run.
        """
        work = wire.Work(
            kind=kind,
            file=str(self.place.target.path),
            object=self.place.target.object,
            folder=str(self.place.folder),
            temporary=str(self.place.temporary),
            key=self._setting.key,
            method=case.request.method,
            params=dict(params),
            capabilities=dict(declared),
            trace=self._setting.trace and kind == "native",
        )
        done = None
        try:
            done = perform(work, self.place.output, self._setting.seconds, answering)
        except TimedOut:
            run.outcome = Outcome("timed out", f"no end within {self._setting.seconds:g} s")
        except Broken as error:
            run.outcome = Outcome("broken", self._hiding.text(str(error)))
        except CannotVerify as error:
            raise CannotVerify(self._hiding.text(str(error))) from None
        self._observe(run, done)
        return done

    def _observe(self, run: Run, done: wire.Done | None) -> None:
        if done is not None:
            seen = done.seen
            self._effects += [(each, run.rounds) for each in seen.effects if not self._logs.is_log(each.what)]
            run.swallowed = run.swallowed or seen.swallowed
            run.awaited = run.awaited or seen.awaited
            run.arcs |= set(seen.arcs)
        for name, lines in self._logs.added().items():
            self._lines.setdefault(name, []).extend((line, run.rounds) for line in lines)

    def shown(self, method: str, params: Mapping[str, Any]) -> Question:
        """The question as it is compared, by what both protocol versions carry of it."""
        compared = self._hiding.value(dict(params))
        if isinstance(schema := compared.get("requestedSchema"), dict):
            compared["requestedSchema"] = {name: schema[name] for name in _SCHEMA if name in schema}
        return Question.of(method, compared)

    def outcome(self, done: wire.Done) -> Outcome:
        """How the call has ended, as it is compared."""
        if done.error is not None:
            return Outcome("error", self._hiding.value(done.error))
        if done.result is None:
            return Outcome("unanswered")
        body = {name: value for name, value in done.result.items() if name not in _ENVELOPE}
        return Outcome("result", self._hiding.value(body))

    def close(self, run: Run) -> None:
        """Give the run its effects. Last, because UUIDs are numbered as questions and result have them."""
        run.effects = [Done(self._hiding.effect(effect), round) for effect, round in self._effects]
        run.logs = {
            name: [(self._hiding.text(line), round) for line, round in lines]
            for name, lines in self._lines.items()
        }
