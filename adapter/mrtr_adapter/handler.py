"""What a handler may say to its flow, if it cares to. Everything here also runs outside a flow, as a plain call."""

from __future__ import annotations

from typing import TypeVar

from mrtr_adapter.flow import current
from mrtr_adapter.session import site

StateT = TypeVar("StateT")


async def shed(state: StateT | None = None) -> StateT | None:
    """Shed load: end the round with no question, and go on from here when the client calls again.

    Args:
        state: JSON to find again then. Work that was done to make it is not done again if it stands behind
            `if` … on what `shed` gave back.

    Returns:
        `state` as it was when the round ended. On an older connection and outside a flow, at once.
    """
    flow = current.get()
    if flow is None:
        return state
    shed_state: StateT | None = await flow.shed(state, site)
    return shed_state
