"""What the adapter keeps in a store, sealed like `requestState`: flow → **here** → store.

A store may be shared with others, so results and journals lie in it under the server's own ring of keys, each bound to
its key in the store. Operations run in worker threads of their own, and outside the flow, whose effects they are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from mcp.server.request_state import InvalidRequestState, RequestStateCodec

from mrtr_adapter.engine.flows import current
from mrtr_adapter.sealing.seal import SealCodec
from mrtr_adapter.stores import Store, StoreError

ResultT = TypeVar("ResultT")

MAX_STORED_BYTES = 4 * 1024 * 1024
"""Of one sealed entry, before sealing."""

_THREADS = 16
_limiter: RunVar[CapacityLimiter] = RunVar("mrtr_store_threads")


def store_codec(codec: RequestStateCodec) -> RequestStateCodec:
    """What seals entries of a store where `codec` seals the state: the same keys, and room for large results."""
    return codec.sized(MAX_STORED_BYTES) if isinstance(codec, SealCodec) else codec


class Vault:
    """A store, and the codec that seals what goes into it.

    All its methods raise `StoreError` if the store can't be used.
    """

    def __init__(self, store: Store, codec: RequestStateCodec) -> None:
        self.store = store
        self.codec = codec

    @property
    def shared(self) -> bool:
        return self.store.shared

    async def read(self, key: str) -> bytes | None:
        return await self._do(lambda: self.store.read(key))

    async def write(self, key: str, value: bytes, seconds: float) -> None:
        await self._do(lambda: self.store.write(key, value, seconds))

    async def swap(
        self, key: str, expected: bytes | None, value: bytes | None, seconds: float
    ) -> bytes | None:
        """`Store.swap`: what was there before; it has happened if that is `expected`."""
        return await self._do(lambda: self.store.swap(key, expected, value, seconds))

    def seal(self, key: str, text: str) -> bytes:
        """What to store under `key` for `text`.

        Raises:
            StoreError: it is larger than `MAX_STORED_BYTES`.
        """
        payload = text.encode()
        if len(payload) > MAX_STORED_BYTES:
            raise StoreError(f"{len(payload)} bytes are too large to store; {MAX_STORED_BYTES} are the most")
        return self.codec.seal(key.encode() + b"\n" + payload).encode()

    def unseal(self, key: str, sealed: bytes) -> str:
        """The text that was sealed for `key`.

        Raises:
            StoreError: this was not sealed for that key by any key of the ring.
        """
        try:
            bound, _, body = self.codec.unseal(sealed.decode()).partition(b"\n")
            if bound == key.encode():
                return body.decode()
        except (InvalidRequestState, ValueError):
            pass
        raise StoreError("an entry of the store was not sealed by this server's keys")

    async def _do(self, operation: Callable[[], ResultT]) -> ResultT:
        token = current.set(None)
        try:
            if not self.store.blocking:
                return operation()
            return await anyio.to_thread.run_sync(operation, limiter=_own_threads())
        except StoreError:
            raise
        except Exception as error:
            raise StoreError(f"the store has failed: {type(error).__name__}: {error}") from error
        finally:
            current.reset(token)


def _own_threads() -> CapacityLimiter:
    """Threads apart from those of sync handlers, which may all be waiting for the store."""
    try:
        return _limiter.get()
    except LookupError:
        made = CapacityLimiter(_THREADS)
        _limiter.set(made)
        return made
