"""Runs a case: natively in one process, on 2026-07-28 with a fresh process for every round."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mrtr_adapter.engine.question import Question
from mrtr_adapter.verify import wire
from mrtr_adapter.verify.answering import EVERYTHING, Matched, Script
from mrtr_adapter.verify.cases import Case
from mrtr_adapter.verify.runs import Asked, Outcome, Run, Way, described
from mrtr_adapter.verify.scratch import Source
from mrtr_adapter.verify.stage import Setting, Stage

MAX_ROUNDS = 12
"""No client goes on for longer; the adapter itself stops before that."""


def run_natively(
    source: Source, case: Case, setting: Setting, answering_by: type[Script] = Script
) -> tuple[Run, Script]:
    """A call on a 2025-11-25 session, and what was answered in it.

    Raises:
        CannotVerify: the server can't be run, or the case does not fit its questions.
    """
    run = Run("native", rounds=1)
    with _staged(source, setting, run) as stage:
        script = answering_by(case, str(stage.place.folder))

        def answering(ask: wire.Ask) -> wire.Reply:
            shown = stage.shown(ask.method, ask.params)
            reply = script.reply(Question.of(ask.method, ask.params), shown, ask.waiting)
            if not reply.missing:  # then nobody is asked
                run.asked += [Asked(shown, ask.group)] * (1 + len(script.answered[-1].refused))
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
    with _staged(source, setting, run) as stage:
        _Rounds(run, stage, case, Matched(case, script, str(stage.place.folder))).play()
    return run


@contextmanager
def _staged(source: Source, setting: Setting, run: Run) -> Iterator[Stage]:
    with tempfile.TemporaryDirectory(prefix="mrtr-verify-", ignore_cleanup_errors=True) as scratch:
        stage = Stage(source, Path(scratch), setting)
        yield stage
        stage.close(run)


class _Rounds:
    """One flow."""

    def __init__(self, run: Run, stage: Stage, case: Case, answers: Matched) -> None:
        self._run = run
        self._stage = stage
        self._case = case
        self._answers = answers
        self._asked: dict[str, Question] = {}
        """The questions of the last round, by key."""
        self._left: list[tuple[Question, str]] = []
        """Questions whose answer a replay has not taken, and what was asked in their place."""

    def play(self) -> None:
        retry: dict[str, Any] | None = {}
        while retry is not None:
            if self._run.rounds == MAX_ROUNDS:
                self._run.outcome = Outcome("broken", f"still asking after {MAX_ROUNDS} rounds")
                break
            retry = self._round(retry)
        self._settle_changes()

    def _round(self, retry: dict[str, Any]) -> dict[str, Any] | None:
        """One round; what the next one adds to the request, or None at the end."""
        self._run.rounds += 1
        params = {**self._case.request.params, **retry}
        done = self._stage.perform(self._run, "round", self._case, params, self._answers.capabilities())
        if done is None:
            return None
        result = done.result or {}
        requests = result.get("inputRequests", {})
        shown = {
            key: self._stage.shown(request["method"], request.get("params", {}))
            for key, request in requests.items()
        }
        self._note_changes(done.seen.unreached, shown)
        self._asked = shown
        if result.get("resultType") == "input_required":
            return self._answered(result, requests, shown)
        self._run.outcome = self._stage.outcome(done)
        return None

    def _answered(
        self, result: dict[str, Any], requests: dict[str, Any], shown: dict[str, Question]
    ) -> dict[str, Any] | None:
        state = {"requestState": result["requestState"]} if "requestState" in result else {}
        if not requests:
            return state
        self._run.asked += [Asked(question, self._run.rounds) for question in shown.values()]
        responses: dict[str, Any] = {}
        for key, request in requests.items():
            asked = Question.of(request["method"], request.get("params", {}))
            answer = self._answers.answer(asked, shown[key])
            if answer is None:
                return None
            responses[key] = answer
        return {**state, "inputResponses": responses}

    def _note_changes(self, unreached: Sequence[str], now: dict[str, Question]) -> None:
        for key in unreached:
            if key in self._asked:
                instead = next(map(described, now.values()), "nothing")
                self._left.append((self._asked[key], instead))

    def _settle_changes(self) -> None:
        """A question that was asked again after all, as by a task that came late, has not changed."""
        self._run.changed = [(described(was), now) for was, now in self._left if not self._comes_again(was)]

    def _comes_again(self, question: Question) -> bool:
        return sum(asked.question.digest == question.digest for asked in self._run.asked) > 1
