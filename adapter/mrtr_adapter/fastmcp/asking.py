"""Which sessions are ours, as a FastMCP context sees them.

It is the session that tells, not the flow that happens to run: a server in the same process, which a handler calls
as a client, has a session of its own and must not ask the handler's client.
"""

from __future__ import annotations

from fastmcp import Context

from mrtr_adapter.flows import Flow
from mrtr_adapter.session import AskingSession, ClosedSession


def flow_of(context: Context) -> Flow | None:
    """The flow that a context's asks belong to; None on older connections, outside a request and in a task."""
    if context.is_background_task or context.request_context is None:
        return None
    session = context.request_context.session
    return session._flow if isinstance(session, AskingSession) else None


def is_served_by_us(context: Context) -> bool:
    """Whether an ask of this context reaches a session of ours, which either asks or says why it can't."""
    if context.is_background_task or context.request_context is None:
        return False
    return isinstance(context.request_context.session, AskingSession | ClosedSession)


def capability_ends_call(context: Context) -> bool:
    """Whether an ask for what the client did not declare ends the call out of the handler's reach."""
    flow = flow_of(context)
    return flow is not None and flow.terms.on_missing_capability == "refuse"
