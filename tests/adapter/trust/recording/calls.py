"""The world outside, which counts what is done to it, and a call that asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adapter.rounds import YES, Played, always, play_tool
from adapter.servers import serving
from mrtr_adapter import memo, once


class Calls:
    """Counts, and stands for the outside world."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __call__(self, value: Any) -> int:
        self.made.append(value)
        return len(self.made)


async def twice_asking(handler: Callable[..., Any], **options: Any) -> Played:
    return await play_tool(serving(handler, **options), "tool", always(YES))


KEEPERS = [memo, once]
