"""Why a state was refused, as one of a few words: a metric must not grow with what clients send."""

from __future__ import annotations

from types import TracebackType

from mrtr_adapter.engine.suspension import InvalidState, StateLost
from mrtr_adapter.telemetry import metrics, names, spans

_WORDS = {
    "audience": "audience",
    "commitment": "seal",
    "compression": "malformed",
    "expired": "expired",
    "flow past its lifetime": "expired",
    "journal nested too deeply": "malformed",
    "malformed": "malformed",
    "malformed journal": "malformed",
    "minted in the future": "expired",
    "non-string requestState": "malformed",
    "not a token": "malformed",
    "not base64url": "malformed",
    "not canonical base64url": "malformed",
    "principal": "principal",
    "principal binding error": "principal",
    "principal drift": "principal",
    "request binding": "request",
    "seal": "seal",
    "state of another format version": "version",
    "too large": "malformed",
    "too large once decompressed, or cut short": "malformed",
    "too short": "malformed",
    "unknown key": "unknown_key",
}
"""What the SDK's boundary, our codec and the journal call it, and the word for it."""
_REJECTS = "_reject"
"""The SDK's function that refuses a state. It tells the reason to its log and to nobody else."""


def at_boundary(method: str, traceback: TracebackType | None) -> None:
    """The SDK's boundary has refused a state; `traceback` is of the error that it did so with."""
    _tell(method, _WORDS.get(_given(traceback), names.OTHER))


def by_journal(method: str, reason: InvalidState) -> None:
    """A state that was authentic could not be resumed."""
    _tell(method, names.LOST if isinstance(reason, StateLost) else _WORDS.get(str(reason), names.OTHER))


def in_use(method: str) -> None:
    """Another request has redeemed the state, and has not come to an end."""
    _tell(method, names.IN_USE)


def _given(traceback: TracebackType | None) -> str:
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_name == _REJECTS:
            return str(frame.f_locals.get("reason"))
        traceback = traceback.tb_next
    return ""


def _tell(method: str, reason: str) -> None:
    spans.describe({names.OUTCOME: names.REFUSED, names.REASON: reason})
    metrics.state_refused(method, reason)
