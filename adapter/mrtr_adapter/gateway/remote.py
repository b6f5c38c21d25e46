"""An old server behind Streamable HTTP."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import ClassVar

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import jsonrpc_message_adapter

from mrtr_adapter.gateway.answers import Answers
from mrtr_adapter.gateway.groups import one_error
from mrtr_adapter.gateway.link import MAX_MESSAGE_BYTES, Link, LinkClosed, Message
from mrtr_adapter.serving.refusal import told

_UNPARSED = ("Failed to parse", "Error parsing")
"""How the SDK begins what it says of a body that is no message, to us and in the log."""


@dataclass(frozen=True)
class Endpoint:
    """Where it is, and the headers that it wants, such as `Authorization`."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    advice: ClassVar[str] = (
        "see that it runs, that this is the URL of its MCP endpoint, and what --header it wants"
    )
    """What to do when it can't be used."""

    @property
    def name(self) -> str:
        return self.url

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Link]:
        """A session of this server; it is terminated at the end.

        Raises:
            LinkClosed: it can't be reached, or what answers there is of no use.
        """
        logging.getLogger(streamable_http_client.__module__).addFilter(_without_what_is_told)
        answers = Answers()
        try:
            async with (
                one_error(),
                create_mcp_http_client(headers={"Accept-Encoding": "identity", **self.headers}) as client,
                streamable_http_client(
                    self.url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES
                ) as (read, write),
            ):
                client.event_hooks = {"response": [answers.heard]}
                yield _Remote(read, write, self.url, answers)
        except httpx2.TransportError as error:
            raise LinkClosed(f"it can't be reached ({told(error)})") from None


class _Remote:
    printed = ""

    def __init__(
        self,
        read: ReadStream[SessionMessage | Exception],
        write: WriteStream[SessionMessage],
        url: str,
        answers: Answers,
    ) -> None:
        self._read = read
        self._write = write
        self._url = url
        self._answers = answers
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
        message = received.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        error = message.get("error") or {}
        if str(error.get("message")).startswith(_UNPARSED):
            error["message"] = "The server behind this gateway sent what is no JSON-RPC message"
        return message

    def speak(self, version: str) -> None:
        self._answers.introduced = True
        self._metadata = ClientMessageMetadata(headers={MCP_PROTOCOL_VERSION_HEADER: version})


def _without_what_is_told(record: logging.LogRecord) -> bool:
    """Whoever waits for the message learns what was wrong with it; the log needs no traceback as well."""
    return not str(record.msg).startswith((*_UNPARSED, "Redirect to"))
