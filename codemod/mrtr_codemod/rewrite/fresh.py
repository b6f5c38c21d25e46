"""Names for what the rewrite adds, none of which the file already uses."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable


class FreshNames:
    """Hands out names; each name once, and none of `taken`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def __call__(self, wish: str) -> str:
        """`wish` itself if it is free, else with the lowest number that makes it free."""
        number, name = 1, wish
        while name in self._taken or keyword.iskeyword(name):
            number += 1
            name = f"{wish}_{number}" if wish.islower() else f"{wish}{number}"
        self._taken.add(name)
        return name


def snake(name: str) -> str:
    """`DeleteFiles` as `delete_files`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_") or "answer"


def camel(name: str) -> str:
    """`delete_files` as `DeleteFiles`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W|_", name) if part) or "Handler"
