"""A user at an MCP client, who takes each round of a call by hand so that it can be seen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, InputRequiredResult, InputResponses

Answers = Mapping[str, Mapping[str, Any]]
"""The content that a question is accepted with, by the question's key."""

Outcome = CallToolResult | InputRequiredResult | MCPError
"""How a round ends: with a result, with questions, or refused."""


@dataclass(frozen=True)
class Caller:
    """A user, known to the servers by a token."""

    name: str
    token: str

    async def call(
        self,
        url: str,
        tool: str,
        arguments: dict[str, Any],
        answers: Answers | None = None,
        state: str | None = None,
    ) -> Outcome:
        """One round: call the tool, with what the round before gave and asked for."""
        responses: InputResponses = {
            key: ElicitResult(action="accept", content=dict(content))
            for key, content in (answers or {}).items()
        }
        async with self._client(url) as client:
            try:
                return await client.session.call_tool(
                    tool,
                    arguments,
                    input_responses=responses or None,
                    request_state=state,
                    allow_input_required=True,
                )
            except MCPError as refusal:
                return refusal

    @asynccontextmanager
    async def _client(self, url: str) -> AsyncIterator[Client]:
        """A new connection each time: what a round needs to know travels in it."""
        async with create_mcp_http_client(headers={"Authorization": f"Bearer {self.token}"}) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, elicitation_callback=_never) as client:
                yield client


async def _never(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    """Being there, it declares that this client can be asked; by hand, nothing ever calls it."""
    raise AssertionError(params.message)
