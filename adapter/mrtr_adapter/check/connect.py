"""The ways to a server: over HTTP, or as a child process on stdio."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mrtr_adapter.check.failure import CannotCheck
from mrtr_adapter.check.wire import Wire


@asynccontextmanager
async def over_http(url: str, headers: Mapping[str, str], seconds: float) -> AsyncIterator[Wire]:
    """A wire to the endpoint at `url`. No connection is made before the first request.

    Raises:
        CannotCheck: that is no URL.
    """
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        raise CannotCheck(f"{url!r} is no http or https URL: give it as in http://127.0.0.1:8000/mcp")
    async with (
        create_mcp_http_client(headers=dict(headers)) as client,
        streamable_http_client(url, http_client=client) as (read, write),
    ):
        yield Wire(read, write, seconds=seconds, over_http=True)


@asynccontextmanager
async def over_stdio(command: Sequence[str], seconds: float) -> AsyncIterator[Wire]:
    """A wire to a child process, which sees this environment and is ended with the wire.

    Raises:
        CannotCheck: there is no such command.
    """
    if shutil.which(command[0]) is None:
        raise CannotCheck(
            f"there is no command {command[0]}: give its path, or install it; a server over HTTP is named by its URL, "
            "such as http://127.0.0.1:8000/mcp"
        )
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(os.environ))
    async with stdio_client(parameters) as (read, write):
        yield Wire(read, write, seconds=seconds, over_http=False)


def header(line: str) -> tuple[str, str]:
    """Read `NAME: VALUE`.

    Raises:
        CannotCheck: it is something else.
    """
    name, colon, value = line.partition(":")
    if not colon or not name.strip():
        raise CannotCheck(f"{name.strip()!r} is no header: write it as in 'Authorization: Bearer …'")
    return name.strip(), value.strip()
