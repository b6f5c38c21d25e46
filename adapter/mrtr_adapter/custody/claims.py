"""Claims: what stands in a store while somebody works on what is to be done once.

A claim is never taken over. Its process may have died in the middle of an effect, and nobody else can know how far it
came; so whoever finds one waits for the outcome a while, and then says what it found.
"""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from mrtr_adapter.custody.vault import Vault

WAIT_SECONDS = 10.0
"""How long after a claim was made somebody waits for its outcome."""

_PREFIX = b"claim "
_PAUSE_SECONDS = (0.02, 0.5)


class Unsettled(Exception):
    """A claim with no outcome. The message says since when, and `owner` whose it is, which is for the log only."""

    def __init__(self, seconds: float, owner: str) -> None:
        super().__init__(f"begun {seconds:.0f} seconds ago and not finished")
        self.owner = owner


def new_claim() -> bytes:
    """A claim of this process, unlike any other. A replay, which repeats what `secrets` draws, can't make it again."""
    made = {"at": round(time.time(), 3), "by": f"process {os.getpid()} on {socket.gethostname()}"}
    return _PREFIX + json.dumps({**made, "id": os.urandom(8).hex()}).encode()


def is_claim(value: bytes) -> bool:
    return value.startswith(_PREFIX)


async def outcome(vault: Vault, key: str, found: bytes) -> bytes | None:
    """What stands in place of the claim `found` once its owner is done; None if it is gone.

    Raises:
        Unsettled: it is older than `WAIT_SECONDS` and still there.
        StoreError: the store can't be used.
    """
    made, owner = _read(found)
    pause, longest = _PAUSE_SECONDS
    value: bytes | None = found
    while value is not None and is_claim(value):
        waited = time.time() - made
        if waited >= WAIT_SECONDS:
            raise Unsettled(waited, owner)
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
