"""Stores that tests put between an adapter and a real one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mrtr_adapter.stores import Store, StoreError, open_store
from needs import needs

KINDS = ["memory", "sqlite", "redis"]


def url_of(kind: str, folder: Path) -> str:
    if kind == "redis":
        return needs("redis")
    return "memory:" if kind == "memory" else f"sqlite:///{folder / 'store.db'}"


def opened(kind: str, folder: Path) -> Store:
    return open_store(url_of(kind, folder))


class CountingStore:
    """Does what `inner` does, and keeps the operations in order; `before` is called with each of them first."""

    def __init__(
        self, inner: Store, before: Callable[[str, str], None] = lambda operation, key: None
    ) -> None:
        self.inner = inner
        self.before = before
        self.operations: list[tuple[str, str]] = []

    @property
    def blocking(self) -> bool:
        return self.inner.blocking

    @property
    def shared(self) -> bool:
        return self.inner.shared

    def read(self, key: str) -> bytes | None:
        self._note("read", key)
        return self.inner.read(key)

    def write(self, key: str, value: bytes, seconds: float) -> None:
        self._note("write", key)
        self.inner.write(key, value, seconds)

    def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
        self._note("swap", key)
        return self.inner.swap(key, expected, value, seconds)

    def close(self) -> None:
        self.inner.close()

    def _note(self, operation: str, key: str) -> None:
        self.operations.append((operation, key.partition(":")[0]))
        self.before(operation, key)


class SwitchedStore(CountingStore):
    """Can be switched off, as one that can't be reached."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner, self._check)
        self.down = False

    def _check(self, operation: str, key: str) -> None:
        if self.down:
            raise StoreError("it is switched off")
