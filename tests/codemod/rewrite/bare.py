"""Run a handler without a server: natively, and in rounds on fresh copies of its module, with a context of our own.

Two orders of magnitude faster than through a client, for the generated programs; the real SDK serves the cases.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import anyio
from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from mcp.types import ClientCapabilities, ElicitResult, InputRequiredResult

VENDORED = Path(__file__).parents[3] / "codemod" / "mrtr_codemod" / "rewrite" / "vendored"
CONTENT = {
    "Ok": [{"ok": True}, {"ok": False}],
    "Text": [{"text": "abc"}, {"text": " spaced "}, {"text": ""}],
    "Number": [{"number": 4}, {"number": -1}, {"number": 0}],
}
MAX_ROUNDS = 60


class Answers:
    """Decides each answer from the seed and the question's place, so that both runs get the same."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.asked: list[str] = []

    def __call__(self, message: str, schema: str) -> ElicitResult:
        turn = (self.seed * 31 + len(self.asked) * 17 + len(message)) % 11
        self.asked.append(f"{schema}: {message}")
        if turn < 7:
            options = CONTENT[schema]
            return ElicitResult(action="accept", content=options[(turn + self.seed) % len(options)])
        return ElicitResult(action="decline" if turn < 9 else "cancel")


def load(code: Any) -> dict[str, Any]:
    """A fresh copy of a module, of its code or by a function that makes one."""
    if callable(code):
        return dict(code())
    module = types.ModuleType("program")
    sys.modules["program"] = module
    exec(code, module.__dict__)
    return module.__dict__


class NativeContext:
    """`ctx.elicit` as it was."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    async def elicit(self, message: str, schema: Any) -> Any:
        answer = self.answers(message, schema.__name__)
        if answer.action == "accept":
            return AcceptedElicitation(data=schema.model_validate(answer.content))
        return DeclinedElicitation() if answer.action == "decline" else CancelledElicitation()


class Session:
    protocol_version = "2026-07-28"
    client_capabilities = ClientCapabilities.model_validate({"elicitation": {}})


class RoundContext:
    """The context of one round."""

    session = Session()

    def __init__(self, state: str | None, responses: dict[str, Any] | None) -> None:
        self.request_state = state
        self.input_responses = responses


def outcome(handler: Any, arguments: dict[str, Any], ctx: Any) -> Any:
    async def call() -> Any:
        return await handler(**arguments, ctx=ctx)

    try:
        return anyio.run(call)
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"


def native(code: Any, arguments: dict[str, Any], seed: int) -> dict[str, Any]:
    """Result, questions and effects of the handler as it was written."""
    answers = Answers(seed)
    module = load(code)
    result = outcome(
        module["handler"], {**arguments, "items": list(arguments["items"])}, NativeContext(answers)
    )
    return {"result": result, "asked": answers.asked, "effects": module["EFFECTS"]}


def in_rounds(code: Any, arguments: dict[str, Any], seed: int, *, spoil: bool = False) -> dict[str, Any]:
    """The same for the rewritten handler, every round on a fresh copy. With `spoil`, each answer is left out or sent
    malformed at first; the question must then come again as it was."""
    answers = Answers(seed)
    effects: list[str] = []
    state: str | None = None
    responses: dict[str, Any] | None = None
    spoiled: Any = None
    for _ in range(MAX_ROUNDS * 3):
        module = load(code)
        ctx = RoundContext(state, responses)
        result = outcome(module["handler"], {**arguments, "items": list(arguments["items"])}, ctx)
        effects += module["EFFECTS"]
        if not isinstance(result, InputRequiredResult):
            return {"result": result, "asked": answers.asked, "effects": effects}
        state = result.request_state
        requests = {
            k: r.model_dump(exclude={"params": {"meta"}}) for k, r in (result.input_requests or {}).items()
        }
        if spoil and spoiled is None:
            spoiled = requests
            wrong = ElicitResult(action="accept", content={"nothing": "asked"})
            responses = {} if len(answers.asked) % 2 else dict.fromkeys(requests, wrong)
            continue
        if spoiled is not None:
            assert requests == spoiled, "a question that was not answered comes again as it was"
            spoiled = None
        responses = {
            key: answers(request["params"]["message"], request["params"]["requested_schema"]["title"])
            for key, request in requests.items()
        }
    raise AssertionError("the handler never ends")
