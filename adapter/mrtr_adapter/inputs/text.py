"""The text of a file that a user has named."""

from __future__ import annotations

from pathlib import Path

from mrtr_adapter.serving.refusal import CannotServe


def text_of(path: Path, option: str) -> str:
    """The text of the file that `option` names, without the mark that some editors begin it with.

    Raises:
        CannotServe: it can't be read, or is no UTF-8; says in which line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CannotServe(f"{option} {path} can't be read: {error.strerror or error}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CannotServe(
            f"{option} {path}, line {line}: this is no text in UTF-8: save it as such"
        ) from None
