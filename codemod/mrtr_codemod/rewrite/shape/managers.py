"""`with` blocks around an ask: which hold nothing, and what is in the way of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from ..refusal import Refusal

HARMLESS = frozenset(["contextlib.nullcontext", "decimal.localcontext", "warnings.catch_warnings"])
"""What each round may enter anew: it holds nothing, and says nothing to the world."""
_SUPPRESS = "contextlib.suppress"
_TIMEOUTS = {"asyncio.timeout", "asyncio.timeout_at", "anyio.fail_after", "anyio.move_on_after"}
GROUPS = {"asyncio.TaskGroup", "anyio.create_task_group"}


@dataclass(frozen=True)
class Managers:
    """Judges the context managers of one function. `origin` tells what a name was imported as."""

    origin: Callable[[cst.BaseExpression], str | None]

    def as_try(self, stmt: cst.With) -> cst.Try | None:
        """`with suppress(A, B):` as the `try` that it is; None for any other `with`."""
        call = stmt.items[0].item
        if len(stmt.items) != 1 or not isinstance(call, cst.Call) or self.origin(call.func) != _SUPPRESS:
            return None
        if any(arg.star or arg.keyword for arg in call.args):
            return None
        handlers = [
            cst.ExceptHandler(body=cst.IndentedBlock([cst.SimpleStatementLine([cst.Pass()])]), type=kind)
            for kind in ([_either([arg.value for arg in call.args])] if call.args else [])
        ]
        if not handlers:
            return None
        return cst.Try(stmt.body, handlers=handlers, leading_lines=stmt.leading_lines)

    def refuse_held(self, stmt: cst.With) -> None:
        """Refuse a `with` that an ask must not stand in.

        Raises:
            Refusal: unless each of its context managers may be entered anew in every round.
        """
        for item in stmt.items:
            call = item.item
            origin = (self.origin(call.func) if isinstance(call, cst.Call) else None) or ""
            if origin in _TIMEOUTS:
                raise Refusal(
                    "timed-ask",
                    f"`{origin}` counted the time that the user took, which no round sees: move the ask out of it",
                )
            if origin in GROUPS:
                raise tasks_that_ask()
            if origin not in HARMLESS:
                raise Refusal(
                    "resource-held", "a `with` block holds something open while the client is asked"
                )


def tasks_that_ask() -> Refusal:
    """Why a task group with more than questions stays."""
    return Refusal(
        "task-group", "tasks of the group ask beside other work: `gather` the questions alone, or ask in turn"
    )


def _either(types: list[cst.BaseExpression]) -> cst.BaseExpression:
    return types[0] if len(types) == 1 else cst.Tuple([cst.Element(t) for t in types])
