"""Which sessions are ours, as a FastMCP context sees them.

It is the session that tells, not the flow that happens to run: a server in the same process, which a handler calls
as a client, has a session of its own and must not ask the handler's client.
"""

from __future__ import annotations

from fastmcp import Context
from fastmcp.exceptions import ToolError

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.session import AskingSession, ClosedSession


def flow_of(context: Context) -> Flow | None:
    """The flow that a context's asks belong to; None on older connections, outside a request and in a task."""
    request = None if context.is_background_task else context.request_context
    session = request.session if request else None
    return session._flow if isinstance(session, AskingSession) else None


def is_served_by_us(context: Context) -> bool:
    """Whether an ask of this context reaches a session of ours, which either asks or says why it can't."""
    request = context.request_context
    return request is not None and isinstance(request.session, AskingSession | ClosedSession)


def capability_ends_call(context: Context) -> bool:
    """Whether an ask for what the client did not declare ends the call out of the handler's reach."""
    flow = flow_of(context)
    return flow is not None and flow.terms.on_missing_capability == "refuse"


def require_foreground(context: Context, method: str) -> None:
    """Go on only where there is a client to ask.

    Raises:
        ToolError: the tool runs as a background task.
    """
    if context.is_background_task:
        raise ToolError(
            f"ctx.{method}() can't ask the client in a background task: register the tool without task=True, or have "
            "it return an InputRequiredResult and read ctx.input_responses when it is run again"
        )
