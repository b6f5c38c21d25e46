"""What the command line names: `FILE.py[:OBJECT]`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mrtr_adapter.serving.refusal import CannotServe

_OBJECT = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class Target:
    """A file that makes a server, and the name that the server has in it, if it was given."""

    path: Path
    object: str | None = None

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read `FILE.py` or `FILE.py:OBJECT`.

        Raises:
            CannotServe: there is no such Python file, or what follows the colon is no name.
        """
        head, colon, tail = text.rpartition(":")
        if colon and head.endswith(".py"):
            if not _OBJECT.fullmatch(tail):
                raise CannotServe(
                    f"{tail!r} is no name: after the colon goes the server's, as in {head}:server"
                )
            return cls(_checked(Path(head)), tail)
        return cls(_checked(Path(text)))

    def named(self, name: str) -> str:
        """How to call for the object `name` of this file."""
        return f"mrtr run {self.path}:{name}"


def _checked(path: Path) -> Path:
    if path.is_dir():
        raise CannotServe(f"{path} is a folder: give the Python file in it that makes the server")
    if not path.exists():
        raise CannotServe(f"there is no file {path}: give the path of the Python file that makes the server")
    if path.suffix != ".py":
        raise CannotServe(
            f"{path} is not a Python file (.py): for a server in another language use `mrtr wrap -- COMMAND`"
        )
    return path
