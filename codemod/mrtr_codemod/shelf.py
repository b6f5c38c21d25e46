"""The texts of a run that are at hand: as many as there is room for. The rest is read again when it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrtr_codemod.source import SourceFile

_ROOM = 6_000_000


class Shelf(ABC):
    """Keeps up to `room` bytes of text (the last one however long it is).

    What came last goes first: the same texts are gone through again and again, and if the oldest went, each would be
    gone just before its turn.
    """

    def __init__(self, room: int = _ROOM) -> None:
        self._room = room
        self._kept: OrderedDict[SourceFile, None] = OrderedDict()
        self._size = 0

    @abstractmethod
    def read_again(self, path: str) -> str | None:
        """The text of a source as it is now, None if it cannot be had any more."""

    def put(self, source: SourceFile) -> None:
        """Keep the text of a source that is not kept yet."""
        while self._kept and self._size + source.size > self._room:
            next(reversed(self._kept)).release()
        self._kept[source] = None
        self._size += source.size

    def remove(self, source: SourceFile) -> None:
        """Give up the room of a source."""
        if source in self._kept:
            del self._kept[source]
            self._size -= source.size
