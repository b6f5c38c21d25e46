"""The answers of an old server over HTTP: of a bounded size, and at the start those of an MCP server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from mrtr_adapter.gateway.link import MAX_MESSAGE_BYTES, LinkClosed

_PACKED = frozenset({"br", "deflate", "gzip", "zstd"})
"""Only these would be unpacked: what else servers write there, as `utf-8`, changes nothing."""
_SPOKEN = ("application/json", "text/event-stream")
_NO_ENDPOINT = frozenset({401, 403, 404, 405})
"""What these say need not be read: whoever answers so does not take messages from here."""


class Answers:
    """Sees each answer before it is read. Those of a client that asks for uncompressed ones only."""

    def __init__(self) -> None:
        self.introduced = False
        """Whether the server has told what it is; until then an answer may be anybody's."""

    async def heard(self, response: httpx2.Response) -> None:
        """Raises `LinkClosed` if it is of no use; else reading it does, once it is longer than any message may be.

        Events are bounded one by one where they are told apart.
        """
        encoding = response.headers.get("content-encoding", "")
        if _PACKED & {each.strip().lower() for each in encoding.split(",")}:
            raise LinkClosed(f"it answers in {encoding}, though it was asked for what is not compressed")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not self.introduced:
            _check(response, kind)
        if kind != "text/event-stream":
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Bounded(response.stream)


def _check(response: httpx2.Response, kind: str) -> None:
    status = response.status_code
    if status in _NO_ENDPOINT or status >= 500 or (status >= 400 and kind != "application/json"):
        raise LinkClosed(f"it answers {status} {response.reason_phrase}")
    if status == 200 and kind not in _SPOKEN:
        raise LinkClosed(f"it answers with {kind or 'something of no type'}, which is no MCP")


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_MESSAGE_BYTES:
                raise LinkClosed(f"it sent a message of more than {MAX_MESSAGE_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
