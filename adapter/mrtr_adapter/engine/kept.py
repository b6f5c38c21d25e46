"""What a handler has recorded under names in a flow, with `memo` and `once`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from mrtr_adapter.engine.journal import Recorded
    from mrtr_adapter.engine.site import Site


class NameClash(Exception):
    """One name for two things; the message says where they are and what to do."""


class Kept:
    """The recordings of one flow, as one run of its handler sees them."""

    def __init__(self, recorded: Mapping[str, Recorded]) -> None:
        self.entries = dict(recorded)
        self._taken: dict[str, str] = {}
        self._underway = 0
        self._idle: anyio.Event | None = None

    @contextmanager
    def named(self, name: str, site: Site) -> Iterator[None]:
        """Take a name for the rest of the run; free again if nothing gets recorded under it.

        Raises:
            NameClash: it is taken, so that a replay could not tell the two recordings apart.
        """
        if name in self._taken:
            raise NameClash(
                f"{name!r} is recorded at {self._taken[name]} and again at {site}: give each recording a name of its "
                f'own, in a loop such as f"{name}-{{item}}"'
            )
        self._taken[name] = str(site)
        try:
            yield
        finally:
            if name not in self.entries:
                del self._taken[name]

    @contextmanager
    def underway(self) -> Iterator[None]:
        """Around an effect that is done to its end: a round does not end before it has."""
        self._underway += 1
        try:
            yield
        finally:
            self._underway -= 1
            if self._idle is not None and not self._underway:
                self._idle.set()

    async def settled(self) -> None:
        """Wait until no effect is under way."""
        if self._underway:
            self._idle = anyio.Event()
            await self._idle.wait()
