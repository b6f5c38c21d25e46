"""An old server behind Streamable HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import jsonrpc_message_adapter

from mrtr_adapter.gateway.link import MAX_MESSAGE_BYTES, Link, LinkClosed, Message
from mrtr_adapter.serving.refusal import told


@dataclass(frozen=True)
class Endpoint:
    """Where it is, and the headers that it wants, such as `Authorization`."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return self.url

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Link]:
        """A session of this server; it is terminated at the end."""
        async with (
            create_mcp_http_client(headers=dict(self.headers)) as client,
            streamable_http_client(self.url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES) as (
                read,
                write,
            ),
        ):
            yield _Remote(read, write, self.url)


class _Remote:
    def __init__(
        self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage], url: str
    ) -> None:
        self._read = read
        self._write = write
        self._url = url
        self._metadata: ClientMessageMetadata | None = None

    async def send(self, message: Message) -> None:
        try:
            await self._write.send(
                SessionMessage(jsonrpc_message_adapter.validate_python(message), self._metadata)
            )
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise LinkClosed(f"the connection to {self._url} is closed") from None

    async def receive(self) -> Message:
        try:
            received = await self._read.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise LinkClosed(f"the connection to {self._url} has ended") from None
        if isinstance(received, Exception):
            raise LinkClosed(f"{self._url} can't be used: {told(received)}")
        return received.message.model_dump(by_alias=True, mode="json", exclude_unset=True)

    def speak(self, version: str) -> None:
        self._metadata = ClientMessageMetadata(headers={MCP_PROTOCOL_VERSION_HEADER: version})
