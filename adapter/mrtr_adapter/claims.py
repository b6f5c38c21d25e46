"""Claims: what stands in a store while somebody works on what is to be done once.

A claim is never taken over. Its process may have died in the middle of an effect, and nobody else can know how far it
came; so whoever finds one waits for the outcome a while, and then says what it found.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from mrtr_adapter.vault import Vault

WAIT_SECONDS = 10.0
"""How long after a claim was made somebody waits for its outcome."""

_PREFIX = b"claim "
_PAUSE_SECONDS = (0.02, 0.5)


class Unsettled(Exception):
    """A claim with no outcome; the message says whose it is and since when."""


def new_claim() -> bytes:
    """A claim of this process, unlike any other."""
    made = {"at": round(time.time(), 3), "by": f"process {os.getpid()} on {socket.gethostname()}"}
    return _PREFIX + json.dumps({**made, "id": secrets.token_hex(8)}).encode()


def is_claim(value: bytes) -> bool:
    return value.startswith(_PREFIX)


async def outcome(vault: Vault, key: str, found: bytes) -> bytes | None:
    """What stands in place of the claim `found` once its owner is done; None if it is gone.

    Raises:
        Unsettled: it is older than `WAIT_SECONDS` and still there.
        StoreError: the store can't be used.
    """
    made, by = _read(found)
    pause, longest = _PAUSE_SECONDS
    value: bytes | None = found
    while value is not None and is_claim(value):
        waited = time.time() - made
        if waited >= WAIT_SECONDS:
            raise Unsettled(f"begun {waited:.0f} seconds ago by {by} and not finished")
        await anyio.sleep(min(pause, max(WAIT_SECONDS - waited, 0.0)))
        pause = min(2 * pause, longest)
        value = await vault.read(key)
    return value


def _read(claim: bytes) -> tuple[float, str]:
    try:
        made = json.loads(claim[len(_PREFIX) :])
        return min(float(made["at"]), time.time()), str(made["by"])
    except (ValueError, KeyError, TypeError):
        return 0.0, "an unknown process"
