"""A server whose tool deletes after two questions, and a client that hangs up."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations

from adapter.rounds import KEY, YES, call
from adapter.servers import Name, Ok
from mrtr_adapter import adapt
from mrtr_adapter.stores import Store

DESTRUCTIVE = ToolAnnotations(destructive_hint=True)
SURE = {
    "method": "elicitation/create",
    "params": {"mode": "form", "message": "Sure?", "requestedSchema": Ok.model_json_schema()},
}
"""The question of a handler in step form."""


class Deletion:
    """A server whose tool deletes after two questions, and counts what it has done. Each instance is a fresh one."""

    def __init__(self, store: Store | None, **options: Any) -> None:
        self.store = store
        self.options = options
        self.deleted: list[str] = []
        self.runs = 0
        self.before_delete: Callable[[], Any] = lambda: None

    def __call__(self) -> MCPServer:
        server = MCPServer("files")

        @server.tool(annotations=DESTRUCTIVE)
        async def delete(path: str, ctx: Context) -> str:
            self.runs += 1
            sure = await ctx.elicit(f"Delete {path}?", Ok)
            if sure.action != "accept":
                return "kept"
            reason = await ctx.elicit("Why?", Name)
            waiting = self.before_delete()
            if waiting is not None:
                await waiting
            self.deleted.append(path)
            return f"deleted, number {len(self.deleted)}, {reason.action}"

        return adapt(server, keys=[KEY], store=self.store, **self.options)

    async def first(self) -> str:
        return str((await call(self(), "delete", {"path": "a"}))["requestState"])

    async def second(self) -> str:
        return str((await self.sure(await self.first()))["requestState"])

    async def sure(self, state: str) -> dict[str, Any]:
        return await call(self(), "delete", {"path": "a"}, state=state, responses={"sure": YES})

    async def why(self, state: str, name: str = "old") -> dict[str, Any]:
        answer = {"action": "accept", "content": {"name": name}}
        return await call(self(), "delete", {"path": "a"}, state=state, responses={"reason": answer})


async def stay(reached: anyio.Event) -> None:
    reached.set()
    await anyio.sleep_forever()


async def broken_off(request: Coroutine[Any, Any, Any], reached: anyio.Event) -> None:
    """A request whose client hangs up once the handler is where it tells."""

    async def send() -> None:
        await request

    async with anyio.create_task_group() as group:
        group.start_soon(send)
        await reached.wait()
        group.cancel_scope.cancel()
