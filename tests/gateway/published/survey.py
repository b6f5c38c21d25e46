"""What a client sees of a server, in a form that does not depend on the protocol version."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent

from mrtr_adapter.schemas.example import example

ABILITIES = ("tools", "prompts", "resources", "completions")
"""Capabilities that both eras know. `logging` and `tasks` are gone, and how changes are heard of is another one."""
LISTS = {"tools": ["tools"], "prompts": ["prompts"], "resources": ["resources", "resource_templates"]}
SETTLE_SECONDS = 1.0
GONE = {"execution"}
"""What 2026-07-28 has taken out of a tool."""

Request = tuple[Literal["tool", "prompt", "resource"], str, dict[str, Any]]


@dataclass
class Survey:
    """The person, the model and the machine of the client, and what was seen and asked.

    They answer by the schema of the question, so that an equal question gets an equal answer.
    """

    root: str
    version: str = ""
    seen: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    asked_for_roots: bool = False
    """How often differs by how many sessions a server has."""

    async def run(
        self, server: StdioServerParameters, mode: Literal["auto", "legacy"], requests: list[Request]
    ) -> Survey:
        client = Client(
            server,
            mode=mode,
            elicitation_callback=self._fill_in,
            sampling_callback=self._complete,
            list_roots_callback=self._list_roots,
        )
        async with client:
            self.version = client.protocol_version
            self.seen["server"] = client.server_info and client.server_info.model_dump()
            self.seen["instructions"] = client.instructions
            able = client.server_capabilities.model_dump(exclude_none=True)
            self.seen["abilities"] = [ability for ability in ABILITIES if ability in able]
            for ability, kinds in LISTS.items():
                if ability in able:
                    for kind in kinds:
                        self.seen[kind] = await pages(getattr(client, f"list_{kind}"), kind)
            await self._settle(client, requests)
            for request in requests:
                self.seen[f"{request[0]} {request[1]}"] = await outcome(client, request)
        return self

    async def _settle(self, client: Client, requests: list[Request]) -> None:
        """Servers that ask for roots take them in beside the first call, so that it may come too early for them."""
        await outcome(client, requests[0])
        if self.asked_for_roots:
            await anyio.sleep(SETTLE_SECONDS)

    async def _fill_in(self, context: object, params: Any) -> ElicitResult:
        self.asked.append(f"{params.mode}: {params.message}")
        if params.mode == "url":
            return ElicitResult(action="accept")
        return ElicitResult(action="accept", content=example(params.requested_schema))

    async def _complete(self, context: object, params: Any) -> CreateMessageResult:
        self.asked.append(f"sampling: {[message.model_dump(mode='json') for message in params.messages]}")
        return CreateMessageResult(
            role="assistant", model="none", content=TextContent(type="text", text="Yes")
        )

    async def _list_roots(self, context: object) -> ListRootsResult:
        self.asked_for_roots = True
        return ListRootsResult(roots=[Root(uri=self.root)])


async def outcome(client: Client, request: Request) -> Any:
    """The result of a request, or the code and message of its error."""
    kind, target, arguments = request
    try:
        if kind == "tool":
            result = await client.call_tool(target, arguments)
            return dump(result, {"content", "structured_content", "is_error"})
        if kind == "prompt":
            return dump(await client.get_prompt(target, arguments), {"description", "messages"})
        return dump(await client.read_resource(target), {"contents"})
    except MCPError as error:
        return (error.code, error.message)


def dump(result: Any, fields: set[str]) -> dict[str, Any]:
    return dict(result.model_dump(mode="json", include=fields))


async def pages(list_page: Callable[..., Awaitable[Any]], entries: str) -> Any:
    """All entries of a list, or the code of the error that it ends with."""
    found: list[Any] = []
    cursor: str | None = None
    while True:
        try:
            page = await list_page(cursor=cursor)
        except MCPError as error:
            return error.code
        found += [entry.model_dump(mode="json", exclude=GONE) for entry in getattr(page, entries)]
        cursor = page.next_cursor
        if cursor is None:
            return found
