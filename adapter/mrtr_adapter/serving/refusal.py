"""Why something can't be served."""

from __future__ import annotations

_LONGEST = 400


class CannotServe(Exception):
    """What is in the way and what to do about it, in one line for the person at the terminal."""

    def __str__(self) -> str:
        return one_line(super().__str__())


def one_line(text: str) -> str:
    """`text` without line breaks, cut at 400 characters."""
    return shortened(" ".join(text.split()), _LONGEST)


def shortened(text: str, longest: int) -> str:
    """`text`, or as much of it as fits into so many characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def told(error: BaseException) -> str:
    """The kind of an exception and what it says; of a group, that of its first one."""
    while inner := getattr(error, "exceptions", None):
        error = inner[0]
    return one_line(f"{type(error).__name__}: {error}" if str(error).strip() else type(error).__name__)
