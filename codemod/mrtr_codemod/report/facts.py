"""What the reports say about one handler, in words that every format shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mrtr_codemod.model import AskKind

if TYPE_CHECKING:
    from mrtr_codemod.model import Ask, Handler, LiveLocal
    from mrtr_codemod.report.outcome import Outcome

ASK_NAMES = {
    AskKind.FORM: "form",
    AskKind.URL: "URL",
    AskKind.SAMPLING: "sampling",
    AskKind.ROOTS: "roots",
}


def rounds(handler: Handler) -> str:
    """`1 round`, `3 rounds`, or that there is no bound."""
    if handler.rounds is None:
        return "unbounded rounds"
    return "1 round" if handler.rounds == 1 else f"{handler.rounds} rounds"


def ask_place(ask: Ask, outcome: Outcome) -> str:
    """Where the ask stands, and through which calls the handler gets there."""
    steps = [outcome.place(span) for span in (*ask.via, ask.span)]
    return " → ".join(steps)


def live_local(local: LiveLocal) -> str:
    """`name: type`, or the name if no type is known."""
    return f"{local.name}: {local.type}" if local.type else local.name


def verdict(handler: Handler) -> str:
    """The verdict in words."""
    return handler.verdict.value if handler.verdict else "asks nothing"
