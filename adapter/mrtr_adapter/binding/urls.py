"""Error -32042, which 2026-07-28 removed: its URLs become URL requests of the round.

Old clients were told to open the pages and to call again. That is what a round does: the handler runs again from the
top, finds what the page has stored, and goes on.
"""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST, URL_ELICITATION_REQUIRED

from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.question import ELICIT, Question


def open_urls(flow: Flow, error: MCPError) -> bool:
    """End the round with the pages that `error` names. False if it names none, and so is not what it seems.

    Raises:
        MCPError: the client has just refused one of them. The old error is gone, so another code carries its text.
    """
    pages = error.data.get("elicitations") if isinstance(error.data, dict) else None
    if error.code != URL_ELICITATION_REQUIRED or not pages:
        return False
    if flow.memory.urls_refused:
        raise MCPError(INVALID_REQUEST, error.message, data={"reason": "url_elicitation_refused"})
    flow.open_raised([Question.of(ELICIT, {**page, "mode": "url"}) for page in pages])
    return True
