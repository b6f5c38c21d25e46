"""One run: what holds for the server, then each tool that asks, then everything that came."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from mrtr_adapter.check.answering import Action, CannotAnswer
from mrtr_adapter.check.calling import Caller, Tool
from mrtr_adapter.check.catalog import OF_A_TOOL
from mrtr_adapter.check.checks import declared, questions, repeats, retries, states
from mrtr_adapter.check.checks.server import check_server
from mrtr_adapter.check.checks.traffic import check_traffic
from mrtr_adapter.check.failure import CannotCheck, NoReply
from mrtr_adapter.check.model import Check, Report, Status, Verdict
from mrtr_adapter.check.subject import Subject
from mrtr_adapter.check.tools import choose
from mrtr_adapter.check.wire import VERSION, Reply, Wire

CheckTool = Callable[[Subject], Awaitable[list[Verdict]]]
_OF_A_TOOL: tuple[tuple[CheckTool, tuple[Check, ...]], ...] = (
    (questions.check_questions, questions.CHECKS),
    (declared.check_declared, declared.CHECKS),
    (retries.check_retries, retries.CHECKS),
    (states.check_states, states.CHECKS),
    (repeats.check_repeats, repeats.CHECKS),
)


@dataclass(frozen=True)
class Plan:
    """What the user wants checked.

    `tools` are called by name, with `probe` those as well that say they change nothing; `action` is what their
    questions are answered with. `wait` is how many seconds make a state expire; None leaves that out.
    """

    tools: Sequence[Tool] = ()
    probe: bool = False
    action: Action = Action.DECLINE
    wait: float | None = None


async def check(name: str, wire: Wire, plan: Plan, other_user: Wire | None = None) -> Report:
    """Check the server at the other end of `wire`. It is called `name` in the report.

    Raises:
        CannotCheck: it can't be reached, does not speak 2026-07-28, or lacks a tool that was named.
        NoReply: it leaves the first requests without a reply.
    """
    discovered = await _discovered(wire)
    chosen = await choose(wire, plan.tools, probe=plan.probe)
    verdicts = await check_server(wire, discovered)
    asking, silent = await _asking([Caller(wire, tool, plan.action) for tool in chosen.tools])
    for caller, first in asking:
        others = tuple(other for other, _ in asking if other is not caller)
        verdicts += await _checked(caller, first, others, other_user, plan.wait)
    verdicts += check_traffic(wire.heard)
    return Report(
        name,
        tuple(verdicts),
        tuple(caller.tool.name for caller, _ in asking),
        tuple(silent),
        (*chosen.left_out, *_nothing_asked(plan, asking)),
    )


async def _discovered(wire: Wire) -> Reply:
    reply = await wire.request("server/discover")
    if reply.result is None:
        raise CannotCheck(
            f"server/discover gives {reply.came}: is this an MCP server on {VERSION}, and may you use it? An older "
            "one can be served on it by `mrtr wrap`"
        )
    return reply


async def _asking(callers: Sequence[Caller]) -> tuple[list[tuple[Caller, Reply]], list[str]]:
    """Those that ask, with the round that did; and the names of the others."""
    asking, silent = [], []
    for caller in callers:
        try:
            first = await caller.begin()
        except NoReply:
            silent.append(caller.tool.name)
            continue
        if first.asks:
            asking.append((caller, first))
        else:
            silent.append(caller.tool.name)
    return asking, silent


async def _checked(
    caller: Caller, first: Reply, others: tuple[Caller, ...], other_user: Wire | None, wait: float | None
) -> list[Verdict]:
    """All checks of one tool."""
    try:
        begun = await caller.begun()
        honest = await caller.retry(begun.first.state, begun.answers or None)
    except (CannotAnswer, NoReply) as lack:
        return _unchecked(OF_A_TOOL, caller, lack)
    subject = Subject(caller, first, honest, others, other_user, wait)
    verdicts: list[Verdict] = []
    for part, checks in _OF_A_TOOL:
        verdicts += await _made(part, checks, subject)
    return verdicts


async def _made(part: CheckTool, checks: Sequence[Check], subject: Subject) -> list[Verdict]:
    try:
        return await part(subject)
    except (CannotAnswer, NoReply) as lack:
        return _unchecked(checks, subject.caller, lack)


def _unchecked(checks: Sequence[Check], caller: Caller, lack: Exception) -> list[Verdict]:
    return [Verdict(check, Status.UNCHECKED, caller.tool.name, note=str(lack)) for check in checks]


def _nothing_asked(plan: Plan, asking: Sequence[object]) -> list[str]:
    if asking:
        return []
    if not plan.tools and not plan.probe:
        return [
            "no tool was called: name those that ask (--tool), or let the read-only ones be tried (--probe)"
        ]
    return ["no tool that was called has asked anything, so nothing of what follows a question was checked"]
