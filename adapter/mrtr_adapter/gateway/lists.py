"""What an old server lists, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError

from mrtr_adapter.gateway.session import Session

Request = Callable[[str, "dict[str, Any]"], Awaitable["dict[str, Any]"]]
"""Sends a request to the old server, by its method and parameters: the result."""

_MAX_PAGES = 100
LOOK_FIRST_SECONDS = 2.0
"""How long a call waits to learn whether there is what it names: a server may list nothing until it is answered."""
_NAMED_IN = {"tools/call": "tools", "prompts/get": "prompts"}


async def listed(request: Request, kind: str) -> AsyncIterator[dict[str, Any]]:
    """The entries of `tools/list` or `prompts/list`; `kind` is `tools` or `prompts`.

    A page is asked for once: there are servers whose last one leads back to an earlier one, or to "".

    Raises:
        MCPError: as `request` does.
    """
    cursor: Any = None
    cursors: list[Any] = [None, ""]
    for _ in range(_MAX_PAGES):
        page = await request(f"{kind}/list", {} if cursor is None else {"cursor": cursor})
        entries = page.get(kind)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                yield entry
        cursor = page.get("nextCursor")
        if cursor in cursors:
            return
        cursors.append(cursor)


async def lists_no(session: Session, method: str, name: str) -> bool:
    """Whether a call is of a tool or prompt that the old server does not list. False where that can't be told soon."""
    kind = _NAMED_IN.get(method)
    if kind is None:
        return False
    with anyio.move_on_after(LOOK_FIRST_SECONDS):
        try:
            return name not in [entry.get("name") async for entry in listed(session.request, kind)]
        except MCPError:
            return False
    return False
