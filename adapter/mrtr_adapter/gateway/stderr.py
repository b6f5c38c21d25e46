"""What an old server prints on its stderr, as records of the gateway's log."""

from __future__ import annotations

import asyncio
import logging

logger = logging.getLogger("mrtr.behind")

_CHUNK = 16 * 1024
_LONGEST = 8 * 1024
"""Bytes of a line; what is longer is logged in pieces."""


async def relay(stderr: asyncio.StreamReader, pid: int) -> None:
    """Log its lines until it is closed."""
    rest = b""
    while chunk := await stderr.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        while len(rest) > _LONGEST:
            lines.append(rest[:_LONGEST])
            rest = rest[_LONGEST:]
        for line in lines:
            _log(line, pid)
    _log(rest, pid)


def _log(line: bytes, pid: int) -> None:
    text = line.decode(errors="replace").rstrip()
    if text:
        logger.info("%s", text, extra={"pid": pid})
