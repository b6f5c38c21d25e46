"""How a handler is stopped, and the errors that end a flow.

None of these is raised into the handler as an `Exception`, because old handlers catch those and go on.

Whoever traces requests, on either side, records the message of an error. So what may hold a question, an answer or a
state stands in its `data`.
"""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, MISSING_REQUIRED_CLIENT_CAPABILITY


class Suspension(BaseException):
    """Stops a handler whose round has ended, where the cancellation of its scope does not reach.

    That is: in a worker thread, in a shielded scope, and after a handler has swallowed its cancellation.
    It derives from `BaseException`, as cancellation does, so that `except Exception` lets it pass.
    """


class InvalidState(Exception):
    """The state that came back is not one this server can resume. The message is for the log only."""


class StateLost(InvalidState):
    """The state is sound, and what a store had to know of it is not there any more."""


def frozen_state_error() -> MCPError:
    """The one error for every failed check of `requestState`, word for word the SDK's own."""
    return MCPError(
        INVALID_PARAMS, "Invalid or expired requestState", data={"reason": "invalid_request_state"}
    )


def malformed_answer(key: str, expected: str) -> MCPError:
    """An entry of `inputResponses` that is no answer at all (SEP-2322: a protocol error, not a tool error)."""
    return MCPError(INVALID_PARAMS, f"inputResponses[{key!r}] is not {expected}")


def missing_capability(what: str, required: dict[str, object]) -> MCPError:
    """-32021: the client did not declare what the question needs (2026-07-28, `requiredCapabilities`)."""
    return MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        f"This call asks the client for {what}, which the request did not declare",
        data={"requiredCapabilities": required},
    )


def bound_exceeded(message: str, **more: str) -> MCPError:
    """A flow went past one of its bounds; `message` says which, and what the owner can do. `more` goes into `data`."""
    return MCPError(INTERNAL_ERROR, message, data={"reason": "flow_bound_exceeded", **more})


def diverged(message: str, **more: str | None) -> MCPError:
    """A handler keeps changing its question, so no answer can ever be delivered. `more` goes into `data`."""
    return MCPError(INTERNAL_ERROR, message, data={"reason": "replay_diverged", **more})


def misused(message: str) -> MCPError:
    """The handler uses `memo`, `once` or an ask where that can't be kept; `message` says where and what to do."""
    return MCPError(INTERNAL_ERROR, message, data={"reason": "replay_misused"})


def effect_refused(message: str, effects: list[str]) -> MCPError:
    """A handler did something above its question, and its owner set `on_effect="refuse"`."""
    return MCPError(INTERNAL_ERROR, message, data={"reason": "effect_above_ask", "effects": effects})


_STORE_UNAVAILABLE = "store_unavailable"


def store_unavailable() -> MCPError:
    """The store is down, so what must be done once was not begun. The same request may be sent again."""
    return MCPError(
        INTERNAL_ERROR,
        "The server can't reach its store, so it has stopped this call; send the same request again later",
        data={"reason": _STORE_UNAVAILABLE},
    )


def is_store_unavailable(error: MCPError) -> bool:
    return isinstance(error.data, dict) and error.data.get("reason") == _STORE_UNAVAILABLE


def state_lost() -> MCPError:
    """A store was to know this state and does not: it was emptied, or the entry has expired."""
    return MCPError(
        INVALID_PARAMS,
        "The server no longer has what it stored for this call; start the call over, without requestState",
        data={"reason": "state_lost"},
    )


def being_processed(since: str) -> MCPError:
    """Another request has redeemed this state and is still at work, or has died over it."""
    return MCPError(
        INTERNAL_ERROR,
        f"This requestState has been redeemed already: {since}. Send the same request again later for its result; if "
        "there never is one, look whether it took effect before you start the call over",
        data={"reason": "being_processed"},
    )


def interrupted(what: str) -> MCPError:
    """Something that may happen once was begun and never finished, so nobody knows whether it took effect."""
    return MCPError(
        INTERNAL_ERROR,
        f"{what}; it may have taken effect and is not done again. Look whether it did before you start the call over",
        data={"reason": "interrupted"},
    )


def cannot_ask(message: str) -> MCPError:
    """An ask where no round can end. Raised into the code that asked, as the SDK's `NoBackChannelError` is."""
    return MCPError(INVALID_REQUEST, message)
