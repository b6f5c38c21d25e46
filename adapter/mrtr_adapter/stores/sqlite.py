"""A store in an SQLite file: several processes of one machine, with no server to run.

The journal mode is WAL, and `synchronous=FULL`: a write has reached the disk when it returns.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from mrtr_adapter.stores import StoreError

ResultT = TypeVar("ResultT")

_BUSY_SECONDS = 5.0
_OPENING_SECONDS = 15.0
_PAUSE_SECONDS = 0.02
_SWEEP_EVERY = 256
_MAX_SWEPT = 1024

_SCHEMA = """
CREATE TABLE IF NOT EXISTS mrtr (key TEXT PRIMARY KEY, value BLOB NOT NULL, expires REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS mrtr_expires ON mrtr (expires);
"""


class SqliteStore:
    """Keeps entries in the file at `path`, which is made if need be (its folder is not).

    Raises:
        StoreError: the file can't be opened, or is no SQLite database.
    """

    blocking = True
    shared = True

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)
        self._lock = threading.Lock()
        self._process = -1
        self._connection: sqlite3.Connection | None = None
        self._writes = 0
        self._run(lambda connection: None)

    def read(self, key: str) -> bytes | None:
        return self._run(lambda connection: _live(connection, key))

    def write(self, key: str, value: bytes, seconds: float) -> None:
        def work(connection: sqlite3.Connection) -> None:
            _begin(connection)
            _put(connection, key, value, seconds)
            self._sweep(connection)

        self._run(work)

    def swap(self, key: str, expected: bytes | None, value: bytes | None, seconds: float) -> bytes | None:
        def work(connection: sqlite3.Connection) -> bytes | None:
            _begin(connection)
            found = _live(connection, key)
            if found == value:
                return expected
            if found == expected:
                _put(connection, key, value, seconds)
                self._sweep(connection)
            return found

        return self._run(work)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _run(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        with self._lock:
            try:
                connection = self._open()
                with connection:
                    return work(connection)
            except sqlite3.Error as error:
                raise StoreError(f"the SQLite store {self._path} can't be used: {error}") from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():
            # A connection must not be carried over a fork.
            self._connection, self._process = _connected(self._path), os.getpid()
        return self._connection

    def _sweep(self, connection: sqlite3.Connection) -> None:
        self._writes += 1
        if self._writes % _SWEEP_EVERY == 0:
            connection.execute(
                "DELETE FROM mrtr WHERE key IN (SELECT key FROM mrtr WHERE expires <= ? LIMIT ?)",
                (time.time(), _MAX_SWEPT),
            )


def _connected(path: str) -> sqlite3.Connection:
    """A connection to a file that is ready for use. Processes that start together may all try to make it so."""
    deadline = time.monotonic() + _OPENING_SECONDS
    while True:
        connection = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.executescript(_SCHEMA)
        except sqlite3.Error as error:
            connection.close()
            # Two that switch the journal's mode would wait for each other, so SQLite refuses one of them at once.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return connection


def _begin(connection: sqlite3.Connection) -> None:
    """Take the write lock before reading, so that nobody writes in between."""
    connection.execute("BEGIN IMMEDIATE")


def _live(connection: sqlite3.Connection, key: str) -> bytes | None:
    row = connection.execute(
        "SELECT value FROM mrtr WHERE key = ? AND expires > ?", (key, time.time())
    ).fetchone()
    return None if row is None else bytes(row[0])


def _put(connection: sqlite3.Connection, key: str, value: bytes | None, seconds: float) -> None:
    if value is None:
        connection.execute("DELETE FROM mrtr WHERE key = ?", (key,))
        return
    connection.execute("INSERT OR REPLACE INTO mrtr VALUES (?, ?, ?)", (key, value, time.time() + seconds))
