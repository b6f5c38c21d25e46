"""Where a server keeps what must outlive a process: redeemed states, results of `once`, large journals.

A store is three operations on short keys. `swap` is the one that everything rests on: it is atomic, whoever else uses
the store. Backends are imported when their URL is opened.

| URL | what it is | who shares it |
| --- | --- | --- |
| `memory:` | a dict | one process |
| `sqlite:///FILE` | a file, in WAL mode | the processes of one machine |
| `redis://HOST:PORT/DB`, `rediss://…` | Redis 6 or later | everybody who can reach it |
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Protocol, runtime_checkable


class StoreError(Exception):
    """The store can't be reached or can't be used; the message says which store and why."""


@runtime_checkable
class Store(Protocol):
    """Keeps bytes under keys, each for a number of seconds. Its methods may block, and are called from threads.

    Every method raises `StoreError` if it can't tell that it has done its work.
    """

    blocking: bool
    """Whether its operations wait for something, so that they belong in a worker thread."""
    shared: bool
    """Whether other processes see what is stored here."""

    def read(self, key: str) -> bytes | None:
        """What is stored under `key`, or None."""

    def write(self, key: str, value: bytes, seconds: float) -> None:
        """Store `value`, whatever was there. It has reached the store for good when this returns."""

    def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
        """Store `value` if `expected` is there (None: nothing is), in one atomic step. `value=None` removes.

        Returns:
            What was there before. The swap has happened if that is `expected`. Repeating a swap that has happened
            returns `expected` again.
        """

    def close(self) -> None:
        """Give back what the store holds open."""


def open_store(url: str) -> Store:
    """The store that `url` names.

    Raises:
        ValueError: there is no such kind of store, its URL lacks something, or it can't be opened.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "memory" and not rest.strip("/"):
        return _backend("memory", "MemoryStore")()
    if scheme == "sqlite":
        return _sqlite(url, rest)
    if scheme in ("redis", "rediss"):
        return _redis(url)
    raise ValueError(f"{_bare(url)!r} is no store: use memory:, sqlite:///FILE or redis://HOST:PORT/DB")


def _sqlite(url: str, rest: str) -> Store:
    if not rest.startswith("///") or len(rest) == len("///"):
        raise ValueError(
            f"{url!r} names no file: write sqlite:///FILE, or sqlite:////FOLDER/FILE from the root"
        )
    try:
        return _backend("sqlite", "SqliteStore")(rest[len("///") :])
    except StoreError as error:
        raise ValueError(str(error)) from None


def _redis(url: str) -> Store:
    try:
        backend = _backend("redis", "RedisStore")
    except ModuleNotFoundError:
        raise ValueError(f"{_bare(url)} needs the redis client: pip install 'mrtr[redis]'") from None
    try:
        return backend(url)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{_bare(url)} is no address of a Redis: {error}; use redis://HOST:PORT/DB"
        ) from None


def _backend(module: str, name: str) -> Callable[..., Store]:
    backend: Callable[..., Store] = getattr(import_module(f"mrtr_adapter.stores.{module}"), name)
    return backend


def _bare(url: str) -> str:
    """A URL without its password."""
    head, at, tail = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at else url
