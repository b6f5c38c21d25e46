"""What was shipped, in a database that all instances of the depot share."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = """
CREATE TABLE IF NOT EXISTS attempts ("order" TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_order ON attempts ("order");
CREATE TABLE IF NOT EXISTS shipments ("order" TEXT PRIMARY KEY, parcel TEXT NOT NULL);
"""


class Ledger:
    """Shipments, one an order: the order's own name makes the effect idempotent.

    Attempts are counted apart.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def ship(self, order: str, parcel: str) -> int:
        """Enter a shipment unless the order has one, and return how often it was attempted by now."""
        with closing(self._open()) as database, database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO attempts VALUES (?)", [order])
            database.execute("INSERT OR IGNORE INTO shipments VALUES (?, ?)", [order, parcel])
            query = 'SELECT count(*) FROM attempts WHERE "order" = ?'
            return int(database.execute(query, [order]).fetchone()[0])

    def shipments(self) -> dict[str, str]:
        """Return the parcel of each order that was shipped."""
        with closing(self._open()) as database:
            return dict(database.execute("SELECT * FROM shipments"))

    def attempts(self) -> dict[str, int]:
        """Return how often each order's shipment was attempted."""
        with closing(self._open()) as database:
            return dict(database.execute('SELECT "order", count(*) FROM attempts GROUP BY "order"'))

    def create(self) -> Ledger:
        """Create the database. To be called once, before the first instance starts."""
        with closing(self._open()) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(SCHEMA)
        return self

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=30, isolation_level=None)
