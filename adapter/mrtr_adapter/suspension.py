"""How a handler is stopped, and the errors that end a flow.

None of these is raised into the handler as an `Exception`, because old handlers catch those and go on.
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


def bound_exceeded(message: str) -> MCPError:
    """A flow went past one of its bounds; `message` says which, and what the owner can do."""
    return MCPError(INTERNAL_ERROR, message, data={"reason": "flow_bound_exceeded"})


def diverged(message: str) -> MCPError:
    """A handler keeps changing its question, so no answer can ever be delivered."""
    return MCPError(INTERNAL_ERROR, message, data={"reason": "replay_diverged"})


def cannot_ask(message: str) -> MCPError:
    """An ask where no round can end. Raised into the code that asked, as the SDK's `NoBackChannelError` is."""
    return MCPError(INVALID_REQUEST, message)
