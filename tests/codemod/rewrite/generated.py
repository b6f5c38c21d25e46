"""Runs of a case with answers that are drawn as its questions come: natively, and rewritten with spoiled rounds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mcp import Client
from mcp import types as t

from cases import drive

from .fleet import instance

Draw = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Draws the answer to a request, given its method and parameters."""
ROUNDS = 60
SAMPLING = t.SamplingCapability(tools=t.SamplingToolsCapability())


class Answers:
    """The same question gets the same answer in both runs, as often as it comes."""

    def __init__(self, draw: Draw, volatile: list[str]) -> None:
        self.draw = draw
        self.volatile = volatile
        """Patterns of what no two runs have in common."""
        self.known: dict[tuple[str, int], dict[str, Any]] = {}
        self.seen: Counter[str] = Counter()
        self.asked: list[str] = []

    def again(self) -> None:
        self.seen.clear()
        self.asked = []

    def __call__(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        question = drive.question(method, params)
        self.asked.append(question)
        for pattern in self.volatile:
            question = re.sub(pattern, "~", question)
        self.seen[question] += 1
        key = (question, self.seen[question])
        if key not in self.known:
            self.known[key] = self.draw(method, params)
        return self.known[key]


async def native(path: Path, script: dict[str, Any], answers: Answers) -> dict[str, Any]:
    """The handler as it was written, on a 2025-11-25 session."""
    module = drive.load(path)

    def answered(kind: Any, method: str) -> Any:
        async def answer(ctx: Any, params: Any = None) -> Any:
            given = params.model_dump(by_alias=True, mode="json", exclude_none=True) if params else {}
            result = answers(method, given)
            drive.visited(module, drive.question(method, given), given.get("url", ""), result)
            return kind.model_validate(result)

        return answer

    async with Client(
        _server(module),
        mode="legacy",
        elicitation_callback=answered(t.ElicitResult, "elicitation/create"),
        sampling_callback=answered(t.CreateMessageResult, "sampling/createMessage"),
        list_roots_callback=answered(t.ListRootsResult, "roots/list"),
    ) as client:
        try:
            pages = partial(answers, "elicitation/create")
            out = drive.shape(await drive.obeying(module, client, script, pages))
        except Exception as error:
            out = {"raised": drive.error(error)}
    return drive.blot(module, {"out": out, "asked": list(answers.asked), "effects": list(module.EFFECTS)})


async def in_rounds(
    path: Path, script: dict[str, Any], answers: Answers, spoil: Callable[[], str]
) -> dict[str, Any]:
    """The rewritten handler on 2026-07-28, each round on a fresh copy of its module.

    `spoil` says what comes back at first in a round: "right", "missing" or "invalid" answers.
    """
    effects: list[str] = []
    more: dict[str, Any] = {}
    spoiled: Any = None
    for _ in range(ROUNDS):
        module = instance(path)
        async with Client(_server(module), elicitation_callback=_pushed, sampling_callback=_pushed,
                          sampling_capabilities=SAMPLING, list_roots_callback=_pushed) as client:  # fmt: skip
            out = await _outcome(client, script, **more)
        effects += module.EFFECTS
        if not isinstance(out, t.InputRequiredResult):
            return drive.blot(module, {"out": out, "asked": list(answers.asked), "effects": effects})
        requests = {
            key: request.model_dump(by_alias=True, mode="json", exclude_none=True)
            for key, request in (out.input_requests or {}).items()
        }
        if spoiled is not None:
            assert requests == spoiled, "a question that was not answered comes again as it was"
            spoiled = None
        elif (how := spoil()) != "right":
            spoiled = requests
            wrong = t.ElicitResult(action="accept", content={"nothing": ["was", "asked"]})
            checked = all(
                r.get("params", {}).get("requestedSchema", {}).get("required") for r in requests.values()
            )
            given = dict.fromkeys(requests, wrong) if how == "invalid" and checked else {}
            more = {"input_responses": given, "request_state": out.request_state}
            continue
        given = {}
        for key, request in requests.items():
            method, params = request["method"], request.get("params", {})
            result = answers(method, params)
            drive.visited(module, drive.question(method, params), params.get("url", ""), result)
            kind = t.CreateMessageResultWithTools if params.get("tools") else drive.RESULTS[method]
            given[key] = kind.model_validate(result)
        more = {"input_responses": given, "request_state": out.request_state}
    raise AssertionError("the handler never ends")


async def _outcome(client: Any, script: dict[str, Any], **more: Any) -> Any:
    try:
        result = await drive.request(client, script, allow_input_required=True, **more)
    except Exception as error:
        return {"raised": drive.error(error)}
    return result if isinstance(result, t.InputRequiredResult) else drive.shape(result)


async def _pushed(*given: Any) -> Any:
    raise AssertionError("pushed on 2026-07-28")


def _server(module: Any) -> Any:
    return getattr(module.mcp, "_mcp_server", module.mcp)
