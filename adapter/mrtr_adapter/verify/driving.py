"""Runs a case: natively in one process, on 2026-07-28 with a fresh process for every round."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mrtr_adapter.engine.question import Question
from mrtr_adapter.verify import processes, wire
from mrtr_adapter.verify.answering import EVERYTHING, Matched, Script
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.hiding import Hiding
from mrtr_adapter.verify.logs import Logs
from mrtr_adapter.verify.processes import Broken, TimedOut
from mrtr_adapter.verify.refusal import CannotVerify
from mrtr_adapter.verify.runs import Asked, Done, Outcome, Run, Way
from mrtr_adapter.verify.scratch import Place, Source

MAX_ROUNDS = 12
"""No client goes on for longer; the adapter itself stops before that."""
_ENVELOPE = ("_meta", "resultType", "ttlMs", "cacheScope")
"""Parts of a result that 2026-07-28 adds to it."""
_SCHEMA = ("type", "properties", "required")
"""Parts of a form that 2026-07-28 has left."""


@dataclass(frozen=True)
class Setting:
    """What holds for all runs of a session."""

    seconds: float
    """How long one process may take, apart from waiting for a person."""
    hiding: Hiding
    logs: Sequence[Path] = ()
    trace: bool = False
    key: str = field(default_factory=lambda: secrets.token_urlsafe(48), repr=False)


def run_natively(source: Source, case: Case, setting: Setting) -> tuple[Run, Script]:
    """A call on a 2025-11-25 session, and what was answered in it.

    Raises:
        CannotVerify: the server can't be run, or the case does not fit its questions.
    """
    run = Run("native", rounds=1)
    with tempfile.TemporaryDirectory(prefix="mrtr-verify-") as scratch:
        stage = _Stage(source, Path(scratch), setting)
        script = Script(case, str(stage.place.folder))

        def answering(ask: wire.Ask) -> wire.Reply:
            shown = stage.shown(ask.method, ask.params)
            reply = script.reply(Question.of(ask.method, ask.params), shown)
            times = 1 + len(script.answered[-1].refused)
            run.asked += [Asked(shown, ask.group)] * times
            return reply

        declared = EVERYTHING if case.capabilities is None else case.capabilities
        done = stage.perform(run, "native", case, case.request.params, declared, answering)
        if done is not None:
            run.outcome = stage.outcome(done)
    return run, script


def run_in_rounds(way: Way, source: Source, case: Case, script: Script, setting: Setting) -> Run:
    """The same call on 2026-07-28.

    Raises:
        CannotVerify: the server can't be run, or the case does not fit its questions.
    """
    run = Run(way)
    with tempfile.TemporaryDirectory(prefix="mrtr-verify-") as scratch:
        stage = _Stage(source, Path(scratch), setting)
        _Rounds(run, stage, case, Matched(case, script, str(stage.place.folder))).play()
    return run


class _Rounds:
    """One flow."""

    def __init__(self, run: Run, stage: _Stage, case: Case, answers: Matched) -> None:
        self.run = run
        self.stage = stage
        self.case = case
        self.answers = answers
        self._asked: dict[str, Question] = {}
        """The questions of the last round, by key."""
        self._left: list[tuple[Question, str]] = []
        """Questions whose answer no replay has taken, and what was asked in their place."""

    def play(self) -> None:
        retry: dict[str, Any] | None = {}
        while retry is not None:
            if self.run.rounds == MAX_ROUNDS:
                self.run.outcome = Outcome("broken", f"still asking after {MAX_ROUNDS} rounds")
                break
            retry = self._round(retry)
        self._settle_changes()

    def _round(self, retry: dict[str, Any]) -> dict[str, Any] | None:
        """One round; what the next one adds to the request, or None at the end."""
        self.run.rounds += 1
        params = {**self.case.request.params, **retry}
        done = self.stage.perform(self.run, "round", self.case, params, self.answers.capabilities())
        if done is None:
            return None
        requests = (done.result or {}).get("inputRequests", {})
        shown = {
            key: self.stage.shown(request["method"], request.get("params", {}))
            for key, request in requests.items()
        }
        self._note_changes(done.seen.unreached, shown)
        self._asked = shown
        if (done.result or {}).get("resultType") != "input_required":
            self.run.outcome = self.stage.outcome(done)
            return None
        assert done.result is not None
        return self._answered(done.result, requests, shown)

    def _answered(
        self, result: dict[str, Any], requests: dict[str, Any], shown: dict[str, Question]
    ) -> dict[str, Any] | None:
        state = {"requestState": result["requestState"]} if "requestState" in result else {}
        if not requests:
            return state
        self.run.asked += [Asked(question, self.run.rounds) for question in shown.values()]
        responses: dict[str, Any] = {}
        for key, request in requests.items():
            asked = Question.of(request["method"], request.get("params", {}))
            answer = self.answers.answer(asked, shown[key])
            if answer is None:
                return None
            responses[key] = answer
        return {**state, "inputResponses": responses}

    def _note_changes(self, unreached: Sequence[str], now: dict[str, Question]) -> None:
        for key in unreached:
            if key in self._asked:
                instead = next((question.text for question in now.values()), "nothing")
                self._left.append((self._asked[key], instead))

    def _settle_changes(self) -> None:
        """A question that was asked again after all, as by a task that came late, has not changed."""
        self.run.changed = [(was.text, now) for was, now in self._left if not self._comes_again(was)]

    def _comes_again(self, question: Question) -> bool:
        return sum(asked.question.digest == question.digest for asked in self.run.asked) > 1


class _Stage:
    """The folder of one run, and what happens in it."""

    def __init__(self, source: Source, scratch: Path, setting: Setting) -> None:
        self.place: Place = source.copy(scratch)
        self._setting = setting
        self._logs = Logs(setting.logs, source, self.place)

    def perform(
        self,
        run: Run,
        kind: Any,
        case: Case,
        params: dict[str, Any],
        declared: dict[str, Any],
        answering: processes.Answering | None = None,
    ) -> wire.Done | None:
        """One process of the run; None if it did not come to an end, which the run then tells."""
        work = wire.Work(
            kind=kind,
            file=str(self.place.target.path),
            object=self.place.target.object,
            folder=str(self.place.folder),
            temporary=str(self.place.temporary),
            key=self._setting.key,
            method=case.request.method,
            params=params,
            capabilities=declared,
            trace=self._setting.trace and kind == "native",
        )
        done = None
        try:
            done = processes.perform(work, self.place.output, self._setting.seconds, answering)
        except TimedOut:
            run.outcome = Outcome("timed out", f"no end within {self._setting.seconds:g} s")
        except Broken as error:
            run.outcome = Outcome("broken", self._setting.hiding.text(str(error), self.place))
        except CannotVerify as error:
            raise CannotVerify(self._setting.hiding.text(str(error), self.place)) from None
        if done is not None:
            self._observe(run, done.seen)
        for name, lines in self._logs.added().items():
            told = run.logs.setdefault(name, [])
            told += [(self._setting.hiding.text(line, self.place), run.rounds) for line in lines]
        return done

    def _observe(self, run: Run, seen: wire.Seen) -> None:
        run.effects += [
            Done(self._setting.hiding.effect(effect, self.place), run.rounds)
            for effect in seen.effects
            if not self._logs.is_log(effect.what)
        ]
        run.swallowed = run.swallowed or seen.swallowed
        run.awaited = run.awaited or seen.awaited
        run.arcs |= set(seen.arcs)

    def shown(self, method: str, params: dict[str, Any]) -> Question:
        """The question as it is compared, by what both protocol versions carry of it."""
        compared = self._setting.hiding.value(params, self.place)
        if isinstance(schema := compared.get("requestedSchema"), dict):
            compared["requestedSchema"] = {name: schema[name] for name in _SCHEMA if name in schema}
        return Question.of(method, compared)

    def outcome(self, done: wire.Done) -> Outcome:
        """How the call has ended, as it is compared."""
        if done.error is not None:
            return Outcome("error", self._setting.hiding.value(done.error, self.place))
        if done.result is None:
            return Outcome("unanswered")
        body = {name: value for name, value in done.result.items() if name not in _ENVELOPE}
        return Outcome("result", self._setting.hiding.value(body, self.place))
