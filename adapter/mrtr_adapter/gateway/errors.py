"""How a gateway says that a call can't go on."""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND


def lost(name: str, target: str) -> MCPError:
    """The call that the client comes back to is gone, and it may not be run again."""
    return MCPError(
        INTERNAL_ERROR,
        f"{name} was waiting for this answer in a process that is gone, so the call is lost. What it did before it "
        "asked may have been done, and it is not run again because that might do it twice. Look whether it was done "
        f"before you call again. An operator who knows that {target} may be run twice can allow it with "
        f"`mrtr wrap --replay {target}`",
        data={"reason": "call_lost"},
    )


def lost_for_now(name: str, why: MCPError) -> MCPError:
    """The call is gone, and the old server can't be asked whether it may be run again."""
    return MCPError(
        why.error.code,
        f"{name} was waiting for this answer in a process that is gone. What it did before it asked may have been "
        f"done, and whether it may be run again is not known yet. {why.message}: send this same round again then",
        data=why.error.data,
    )


def cannot_wait(name: str, target: str) -> MCPError:
    """The call asks, and there is no way to go on with it once there is an answer."""
    return MCPError(
        INTERNAL_ERROR,
        f"{name} asks something, and this gateway can neither keep the call alive until it is answered (--hold) nor "
        "run it again then (--replay), so it was stopped. What it did before it asked may have been done. An operator "
        f"who knows that {target} may be run twice can allow it with `mrtr wrap --replay {target}`",
        data={"reason": "cannot_wait"},
    )


def timed_out(name: str, seconds: float) -> MCPError:
    return MCPError(
        INTERNAL_ERROR,
        f"{name} did not end within {seconds:g} s and was cancelled (--timeout); what it was to do may have been done",
        data={"reason": "call_timed_out"},
    )


def task_only(name: str) -> MCPError:
    """The old server runs this tool as a task of 2025-11-25, and not otherwise."""
    return MCPError(
        METHOD_NOT_FOUND,
        f"The server behind this gateway runs {name} as a task of protocol 2025-11-25 only, and tasks are not bridged: "
        "connect to that server itself for it",
        data={"reason": "task_only"},
    )


def asks_too_much(name: str, most: int) -> MCPError:
    return MCPError(
        INTERNAL_ERROR,
        f"The server behind this gateway asks more than {most} things at once in {name}, so the call was stopped; what "
        "it did before may have been done",
        data={"reason": "asks_too_much"},
    )
