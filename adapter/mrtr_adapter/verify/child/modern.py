"""One round on 2026-07-28, through the SDK's own entry for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_on_request
from mcp.shared.direct_dispatcher import DirectDispatcher, create_direct_dispatcher_pair
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION_META_KEY,
)
from mcp_types.version import LATEST_MODERN_VERSION

from mrtr_adapter.verify.child.observer import Observer
from mrtr_adapter.verify.wire import Done, Work

_LISTS = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
}


async def one_round(low: Server[Any], work: Work, observer: Observer) -> Done:
    """Send the request, with the state and the answers that its parameters carry."""
    async with _connected(low) as client:
        done = Done()
        try:
            done.result = await _send(client, work.method, work.params, work.capabilities)
        except MCPError as error:
            done.error = error.error.model_dump(mode="json", exclude_none=True)
        done.seen = observer.close()
    return done


async def catalog(low: Server[Any]) -> Done:
    """Everything that the server lists, by kind."""
    found: dict[str, Any] = {}
    async with _connected(low) as client:
        for kind, method in _LISTS.items():
            found[kind] = await _listed(client, kind, method)
    return Done(result=found)


async def _listed(client: DirectDispatcher, kind: str, method: str) -> list[Any] | None:
    """None if the server does not list them at all."""
    entries: list[Any] = []
    params: dict[str, Any] = {}
    try:
        while True:
            page = await _send(client, method, params, {})
            entries += page.get(kind, [])
            if not page.get("nextCursor"):
                return entries
            params = {"cursor": page["nextCursor"]}
    except MCPError as error:
        if error.code == METHOD_NOT_FOUND:
            return None
        raise


async def _send(
    client: DirectDispatcher, method: str, params: Mapping[str, Any], declared: Mapping[str, Any]
) -> dict[str, Any]:
    envelope = {
        PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
        CLIENT_INFO_META_KEY: {"name": "mrtr-verify", "version": "1"},
        CLIENT_CAPABILITIES_META_KEY: dict(declared),
    }
    return await client.send_raw_request(method, {**params, "_meta": envelope})


@asynccontextmanager
async def _connected(low: Server[Any]) -> AsyncIterator[DirectDispatcher]:
    client, server = create_direct_dispatcher_pair(can_send_request=False, raise_handler_exceptions=False)
    async with low.lifespan(low) as state, anyio.create_task_group() as group:
        await group.start(server.run, modern_on_request(low, state), _ignore)
        await group.start(client.run, _nothing_pushed, _ignore)
        yield client
        group.cancel_scope.cancel()


async def _nothing_pushed(
    context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
) -> dict[str, Any]:
    raise MCPError(METHOD_NOT_FOUND, f"{method} was pushed on {LATEST_MODERN_VERSION}")


async def _ignore(
    context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
) -> None:
    """Progress and log messages are not compared."""
