"""Large journals by reference: the journal lies in the store, and the state carries its handle.

    plaintext state = "mrtr1@" + handle

The handle is random, sealed and bound to the request like any other state.
"""

from __future__ import annotations

import logging

from mcp.shared.exceptions import MCPError

from mrtr_adapter.custody.vault import MAX_STORED_BYTES, Vault
from mrtr_adapter.engine.flows import Flow
from mrtr_adapter.engine.suspension import StateLost, bound_exceeded, store_unavailable
from mrtr_adapter.stores import StoreError

logger = logging.getLogger("mrtr")

PREFIX = "mrtr1@"


def is_reference(state: str) -> bool:
    return state.startswith(PREFIX)


async def refer(vault: Vault, flow: Flow, state: str) -> str:
    """Store a plaintext state; what to send in its place.

    Raises:
        MCPError: it is too large even for the store, or that can't be used.
    """
    if len(state) > MAX_STORED_BYTES:
        raise bound_exceeded(
            f"{flow.name} needs {len(state)} bytes of state; a stored one has {MAX_STORED_BYTES} at most"
        )
    key = _key(flow.memory.nonce)
    try:
        await vault.write(key, vault.seal(key, state), flow.memory.seconds_left)
    except StoreError as failure:
        raise _unavailable(flow.name, failure) from None
    return PREFIX + flow.memory.nonce


async def resolve(vault: Vault | None, state: str, name: str) -> str:
    """The plaintext state that a reference stands for.

    Raises:
        StateLost: it has expired, or the store was emptied.
        MCPError: the store can't be used.
    """
    if vault is None:
        raise _unavailable(
            name, StoreError("this state lies in a store, and this instance has none (store=)")
        )
    key = _key(state[len(PREFIX) :])
    try:
        sealed = await vault.read(key)
    except StoreError as failure:
        raise _unavailable(name, failure) from None
    if sealed is None:
        raise StateLost("the store has no such journal")
    try:
        return vault.unseal(key, sealed)
    except StoreError as failure:
        raise StateLost(str(failure)) from None


def _unavailable(name: str, failure: StoreError) -> MCPError:
    logger.error("%s was stopped: %s", name, failure)
    return store_unavailable()


def _key(handle: str) -> str:
    return f"journal:{handle}"
