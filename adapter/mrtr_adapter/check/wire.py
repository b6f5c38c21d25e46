"""Single requests to a server, as no SDK would send them, and what comes back, before any SDK has looked at it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from mrtr_adapter.binding.versions import version
from mrtr_adapter.check import shown
from mrtr_adapter.check.failure import CannotCheck, NoReply

VERSION = "2026-07-28"
EVERYTHING: Mapping[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}},
    "roots": {},
}
"""What a client declares that can be asked anything."""


@dataclass(frozen=True)
class Reply:
    """What came back for one request: a result or an error, and what the server sent on its own meanwhile."""

    sent: str
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    pushed: tuple[str, ...] = ()
    """Methods of the requests that the server made."""
    notified: tuple[str, ...] = ()

    @property
    def kind(self) -> object:
        return self.result.get("resultType") if self.result is not None else None

    @property
    def asks(self) -> bool:
        return self.kind == "input_required"

    @property
    def requests(self) -> dict[str, Any]:
        """The `inputRequests`; empty if there are none, or they are no map."""
        found = self.result.get("inputRequests") if self.result is not None else None
        return dict(found) if isinstance(found, Mapping) else {}

    @property
    def state(self) -> str | None:
        found = self.result.get("requestState") if self.result is not None else None
        return found if isinstance(found, str) else None

    @property
    def code(self) -> object:
        return self.error.get("code") if self.error is not None else None

    @property
    def tool_error(self) -> bool:
        return self.result is not None and self.result.get("isError") is True

    @property
    def came(self) -> str:
        """The reply in one line."""
        if self.error is not None:
            return shown.error(self.error)
        return shown.result(self.result or {})


class Wire:
    """Args:
    read, write: the two directions of a transport.
    seconds: how long a reply may take.
    over_http: whether requests carry headers.
    """

    def __init__(
        self,
        read: ReadStream[SessionMessage | Exception],
        write: WriteStream[SessionMessage],
        *,
        seconds: float,
        over_http: bool,
    ) -> None:
        self.over_http = over_http
        self.heard: list[Reply] = []
        """All replies, in order."""
        self._read = read
        self._write = write
        self._seconds = seconds
        self._ids = itertools.count(1)

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        capabilities: Mapping[str, Any] = EVERYTHING,
        protocol: str = VERSION,
        envelope: bool = True,
        headers: Mapping[str, str] | None = None,
        text_id: bool = False,
    ) -> Reply:
        """Send a request under an id of its own, and wait for what comes back.

        Args:
            envelope: whether it carries the `_meta` that every request must.
            headers: more of them.
            text_id: whether its id is a string.

        Raises:
            NoReply: nothing came in time.
            CannotCheck: the connection has ended.
        """
        body = dict(params or {})
        sent = shown.request(method, body)
        if envelope:
            body["_meta"] = {**body.get("_meta", {}), **_envelope(protocol, capabilities)}
        number: int | str = next(self._ids)
        number = f"check-{number}" if text_id else number
        message = JSONRPCRequest(jsonrpc="2.0", id=number, method=method, params=body)
        metadata = ClientMessageMetadata(headers={**_headers(method, body, protocol), **(headers or {})})
        try:
            with anyio.fail_after(self._seconds):
                await self._write.send(SessionMessage(message, metadata))
                reply = await self._reply(number, sent)
        except TimeoutError:
            raise NoReply(f"no reply within {self._seconds:g} s to {sent}") from None
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise CannotCheck(f"the server has closed the connection at {sent}") from None
        self.heard.append(reply)
        return reply

    async def _reply(self, number: int | str, sent: str) -> Reply:
        pushed: list[str] = []
        notified: list[str] = []
        while True:
            received = await self._read.receive()
            if isinstance(received, Exception):
                continue  # a line that is no message, such as a server's own printing
            message = received.message
            if isinstance(message, JSONRPCNotification):
                notified.append(message.method)
            elif isinstance(message, JSONRPCRequest):
                pushed.append(message.method)
                await self._refuse(message)
            elif message.id == number:
                return _reply_of(message, sent, tuple(pushed), tuple(notified))

    async def _refuse(self, request: JSONRPCRequest) -> None:
        """A server that pushes a request waits for its answer, and would keep us waiting."""
        error = ErrorData(code=METHOD_NOT_FOUND, message="2026-07-28 has no requests of the server's own")
        await self._write.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=request.id, error=error)))


def _reply_of(
    message: JSONRPCResponse | JSONRPCError, sent: str, pushed: tuple[str, ...], notified: tuple[str, ...]
) -> Reply:
    if isinstance(message, JSONRPCError):
        error = message.error.model_dump(by_alias=True, mode="json", exclude_none=True)
        return Reply(sent, error=error, pushed=pushed, notified=notified)
    return Reply(sent, result=message.result, pushed=pushed, notified=notified)


def _envelope(protocol: str, capabilities: Mapping[str, Any]) -> dict[str, Any]:
    return {
        PROTOCOL_VERSION_META_KEY: protocol,
        CLIENT_INFO_META_KEY: {"name": "mrtr-check", "version": version("mrtr")},
        CLIENT_CAPABILITIES_META_KEY: dict(capabilities),
    }


def _headers(method: str, params: Mapping[str, Any], protocol: str) -> dict[str, str]:
    headers = {MCP_PROTOCOL_VERSION_HEADER: protocol, MCP_METHOD_HEADER: method}
    name = params.get(NAME_BEARING_METHODS.get(method, ""))
    if isinstance(name, str):
        headers[MCP_NAME_HEADER] = encode_header_value(name)
    return headers
